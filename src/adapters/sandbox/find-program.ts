import { accessSync, constants } from 'node:fs'
import type { Box } from '../../ports/sandbox.ts'
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

/** Resolves with a box's exit after its resources were released. */
export async function releaseAfter(
  exited: Box['exited'],
  tidy: () => Promise<void>,
): Promise<Awaited<Box['exited']>> {
  const end = await exited
  await tidy()
  return end
}
