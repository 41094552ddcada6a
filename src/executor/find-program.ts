import { constants } from 'node:fs'
import { access, stat } from 'node:fs/promises'
import { delimiter, isAbsolute, join } from 'node:path'

/** Finds the first executable file called `name` in the absolute directories of `path`. */
export async function findProgram(name: string, path: string): Promise<string | undefined> {
  for (const directory of path.split(delimiter)) {
    const file = join(directory, name)
    if (isAbsolute(directory) && (await isExecutable(file))) return file
  }
  return undefined
}

/** True if `file` is a regular file that may be executed. */
export async function isExecutable(file: string): Promise<boolean> {
  try {
    await access(file, constants.X_OK)
    return (await stat(file)).isFile()
  } catch {
    return false
  }
}
