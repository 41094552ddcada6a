import { readFileSync, statSync } from 'node:fs'
import { join } from 'node:path'

/** In the folder of a bundle: a line for each of its files, with the size in bytes, a space, and the name. */
export const fileList = 'files.txt'

/** Names of files that the folder of a bundle lacks or has with another size; none if it is not that of a bundle. */
export function missingFiles(folder: string): readonly string[] {
  return listed(folder).flatMap((line) => {
    const [size = '', ...words] = line.split(' ')
    const name = words.join(' ')
    const found = statSync(join(folder, name), { throwIfNoEntry: false })
    return found?.size === Number(size) ? [] : [name]
  })
}

function listed(folder: string): readonly string[] {
  try {
    return readFileSync(join(folder, fileList), 'utf8').trimEnd().split('\n')
  } catch {
    return []
  }
}
