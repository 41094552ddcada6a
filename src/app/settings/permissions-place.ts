import type { Config } from '../../config/config.ts'

/** Where the rules of workers are stored. */
export type PermissionsPlace = 'file' | 'postgres'

/**
 * GATE-04: a file on a single machine, a database row where there may be several. Separate processes need both addresses,
 * so a configuration with both may belong to one of many. Every process and command with the same configuration gets the
 * same answer.
 */
export function permissionsPlace({ tools, databaseUrl, redisUrl }: Config): PermissionsPlace {
  const { permissionsStore } = tools
  if (permissionsStore !== 'auto') return permissionsStore
  return databaseUrl !== undefined && redisUrl !== undefined ? 'postgres' : 'file'
}
