import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { SandboxDriver } from '../../ports/sandbox.ts'
import type { BoxMounts } from '../../worker/worker-options.ts'
import { allowedPathsOf, workspaceParts } from './allowed-paths.ts'
import { commandNetwork } from './command-network.ts'
import { readablePlaces } from './readable-places.ts'
import { readToolchains } from './toolchains.ts'

/** What the boxes of a session see beside what is masked. */
interface SessionBoxes {
  readonly mounts: BoxMounts
  readonly commandMounts?: BoxMounts
}

/**
 * BASH-10: one box where file tools and commands may reach the same, else two. Commands see no more of the workspace than
 * they may reach; file tools see all of it, and are held by their rules. A driver that confines nothing has one box: there
 * the executor looks at the words of each command.
 */
export function sessionBoxes(
  config: Pick<Config, 'tools' | 'worker' | 'sandbox'>,
  driver: SandboxDriver['name'],
  masked: readonly string[],
): SessionBoxes {
  const { shell, file } = config.tools
  const { folders } = readToolchains(config)
  const given = {
    readOnly: [...readablePlaces(file.allowRead), ...folders],
    masked,
    ...(folders.length > 0 && { findMasked: () => readToolchains(config).masked }),
  }
  const mounts = { ...given, readWrite: outside(file.allowedPaths) }
  if (driver === 'process') return { mounts }
  const hasNetwork = commandNetwork(config) !== undefined
  const parts = workspaceParts(shell.allowedPaths, config.worker.workspace)
  const commandMounts: BoxMounts = {
    ...given,
    readWrite: outside(shell.allowedPaths),
    ...(parts.includes('.') ? {} : { workspaceParts: parts }),
    ...(hasNetwork ? { network: true } : {}),
  }
  const isApart = hasNetwork || !reachTheSame(config)
  return isApart ? { mounts, commandMounts } : { mounts: commandMounts }
}

function reachTheSame(config: Pick<Config, 'tools' | 'worker'>): boolean {
  const { shell, file } = config.tools
  const workspace = '/workspace'
  const [files, commands] = [file.allowedPaths, shell.allowedPaths].map((paths) => {
    const allowed = allowedPathsOf(config, paths)(workspace)
    return new Set(allowed.length === 0 ? [workspace] : allowed)
  })
  return files?.symmetricDifference(commands ?? new Set()).size === 0
}

function outside(paths: readonly string[]): readonly string[] {
  return [...new Set(paths)].filter((path) => isAbsolute(path) && existsSync(path))
}
