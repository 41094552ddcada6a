import { accessSync, constants } from 'node:fs'
import { systemPath } from './box-environment.ts'

/** The path of a program in the system's folders, if it is there. */
export function findProgram(name: string): string | undefined {
  return systemPath
    .split(':')
    .map((dir) => `${dir}/${name}`)
    .find(isExecutable)
}

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK)
    return true
  } catch {
    return false
  }
}
