import { existsSync } from 'node:fs'
import { isAbsolute } from 'node:path'
import type { Config } from '../../config/config.ts'
import type { SandboxDriver } from '../../ports/sandbox.ts'
import type { BoxMounts } from '../../worker/worker-options.ts'
import { commandNetwork } from './command-network.ts'
import { allowedPathsOf, readablePaths, workspaceParts } from './paths.ts'
import { readToolchains } from './toolchains.ts'

/** Mounts of the boxes of a session, besides masked paths. */
interface SessionBoxes {
  readonly mounts: BoxMounts
  readonly commandMounts?: BoxMounts
}

/**
 * BASH-10: uses one box if file tools and commands may reach the same paths, else two. Commands see only the parts of the
 * workspace they may reach; file tools see all of it and are limited by their rules. A driver without confinement has one
 * box: there the executor checks the words of each command.
 */
export function sessionBoxes(
  config: Pick<Config, 'tools' | 'worker' | 'sandbox'>,
  driver: SandboxDriver['name'],
  masked: readonly string[],
): SessionBoxes {
  const { shell, file } = config.tools
  const { folders } = readToolchains(config)
  const given = {
    readOnly: [...readablePaths(file.allowRead), ...folders],
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
