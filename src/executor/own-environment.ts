import { randomBytes } from 'node:crypto'
import type { Surroundings } from './call.ts'

const systemPath = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/**
 * Reads what the sandbox driver said through the environment: `PATH`, `LANG`, `TZ`, `COUNTERSIGN_BOX` (the box's key),
 * `COUNTERSIGN_RG` (a ripgrep binary), `COUNTERSIGN_REFUSE` (`network`, `outside`, or both with a comma),
 * `COUNTERSIGN_ALONE` (`box` where nobody else's processes are seen, `user` where nobody else's run as our user),
 * `COUNTERSIGN_CLEARS_SETUID` (`1` where nothing keeps commands from setting setuid bits),
 * `COUNTERSIGN_PROCESSES` (how many the box may have, where nothing else limits them), and `COUNTERSIGN_NETWORK` (`none` where
 * commands have none).
 */
export function readSurroundings(
  // biome-ignore lint/style/noProcessEnv: the executor is a program of its own, started with nothing but these
  env: Readonly<Record<string, string | undefined>> = process.env,
): Surroundings {
  const { PATH, LANG, TZ, COUNTERSIGN_BOX, COUNTERSIGN_RG, COUNTERSIGN_REFUSE } = env
  const { COUNTERSIGN_ALONE: alone, COUNTERSIGN_CLEARS_SETUID, COUNTERSIGN_NETWORK } = env
  const processes = Number(env['COUNTERSIGN_PROCESSES'])
  const refuses = (COUNTERSIGN_REFUSE ?? '').split(',')
  return {
    boxKey: COUNTERSIGN_BOX ?? 'unnamed',
    executorId: randomBytes(12).toString('hex'),
    path: PATH === undefined || PATH === '' ? systemPath : PATH,
    lang: LANG ?? 'C.UTF-8',
    timeZone: TZ,
    ripgrep: COUNTERSIGN_RG === '' ? undefined : COUNTERSIGN_RG,
    alone: alone === 'box' || alone === 'user' ? alone : undefined,
    hasNetwork: COUNTERSIGN_NETWORK !== 'none',
    clearsSetuid: COUNTERSIGN_CLEARS_SETUID === '1',
    mostProcesses: processes > 0 ? processes : undefined,
    markers: new Set(),
    refuses: new Set((['network', 'outside'] as const).filter((word) => refuses.includes(word))),
  }
}

/** Returns all variables that the sandbox driver set, for a program that runs in place of the executor's commands. */
export function ownVariables(): Readonly<Record<string, string | undefined>> {
  // biome-ignore lint/style/noProcessEnv: as above
  return process.env
}
