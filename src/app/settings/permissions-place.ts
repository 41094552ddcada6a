import type { Config } from '../../config/config.ts'

/** Where the rules of workers are kept. */
export type PermissionsPlace = 'file' | 'postgres'

/**
 * GATE-04: a file on a single machine, a row where there may be several. Processes apart need both addresses, so that whoever
 * has both may be one of many; every process and command with the same configuration says the same.
 */
export function permissionsPlace({ tools, databaseUrl, redisUrl }: Config): PermissionsPlace {
  const { permissionsStore } = tools
  if (permissionsStore !== 'auto') return permissionsStore
  return databaseUrl !== undefined && redisUrl !== undefined ? 'postgres' : 'file'
}
