import { accessSync, constants } from 'node:fs'
import { systemPath } from './box-environment.ts'

/** Path of a program in the system's directories; undefined if it is not installed. */
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
