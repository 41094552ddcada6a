import { lstatSync, readlinkSync } from 'node:fs'
import { makeReachable, reachableProgram, sealedProgram } from '../reachable.ts'
import { programsDirOf, reachableRootOf, type SandboxOptions } from '../sandbox-options.ts'
import { stageExecutor } from '../stage-executor.ts'
import { syntheticEtc } from './synthetic-etc.ts'

const roots = ['/bin', '/sbin', '/lib', '/lib32', '/lib64', '/libx32']

const node = '/opt/countersign/node'
const executor = '/opt/countersign/executor'
const rg = '/opt/countersign/rg'

/** Paths in the box of the product's programs. */
export const boxFiles = { node, executor, rg } as const

/** Bubblewrap arguments that mount the system and the programs, for boxes of our own user. */
export async function ownFiles(options: SandboxOptions): Promise<readonly string[]> {
  const executorDir = await stageExecutor(options.executorDir, options.cacheDir)
  const nodeBinary = await sealedProgram(options.nodeBinary, programsDirOf(options))
  return toArguments(executorDir, { ...options, nodeBinary }, await syntheticEtc(options.cacheDir))
}

/** The same from copies that every user can read, for boxes of other users. */
export async function reachableFiles(options: SandboxOptions): Promise<readonly string[]> {
  const root = reachableRootOf(options)
  await makeReachable(root)
  const executorDir = await stageExecutor(options.executorDir, root)
  const nodeBinary = await sealedProgram(options.nodeBinary, options.programsDir ?? root)
  const copies = { ...options, nodeBinary }
  if (options.rgBinary === undefined)
    return toArguments(executorDir, copies, await syntheticEtc(root))
  const rgBinary = await reachableProgram(options.rgBinary, root)
  return toArguments(executorDir, { ...copies, rgBinary }, await syntheticEtc(root))
}

function toArguments(
  executorDir: string,
  programs: Pick<SandboxOptions, 'nodeBinary' | 'rgBinary'>,
  etc: readonly string[],
): readonly string[] {
  const search = programs.rgBinary === undefined ? [] : ['--ro-bind', programs.rgBinary, rg]
  return [
    ...systemMounts(),
    ...etc,
    ...['--dir', '/opt', '--dir', '/opt/countersign'],
    ...['--ro-bind', programs.nodeBinary, node],
    ...['--ro-bind', executorDir, executor],
    ...search,
  ]
}

/** Bubblewrap arguments for a read-only system: `/usr`, and the directories or links next to it. */
function systemMounts(): readonly string[] {
  return ['--ro-bind', '/usr', '/usr', ...roots.flatMap(mountRoot)]
}

function mountRoot(path: string): readonly string[] {
  const stats = lstatSync(path, { throwIfNoEntry: false })
  if (!stats) return []
  return stats.isSymbolicLink()
    ? ['--symlink', readlinkSync(path), path]
    : ['--ro-bind', path, path]
}
