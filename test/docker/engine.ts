import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, open, readFile, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { run } from './run.ts'

/** A Docker engine, and the programs that speak with it. */
export interface Engine extends AsyncDisposable {
  /** For `docker` and `docker-compose`: the engine's address, and nothing of ours that compose would fill in. */
  readonly environment: Readonly<Record<string, string>>
  docker(args: readonly string[], input?: string): Promise<string>
}

// Debian's own program speaks BuildKit by itself; one in front of it may lack its plugin.
export const dockerProgram = existsSync('/usr/bin/docker') ? '/usr/bin/docker' : 'docker'

const daemonProgram = 'dockerd'

/** What this machine lacks for tests with containers, or undefined; `more` are programs beside the engine's. */
export function dockerFailure(more: readonly string[] = []): string | undefined {
  if (process.platform !== 'linux') return 'containers of this system are Linux'
  if (process.geteuid?.() !== 0) return 'only root may start an engine and make a root file system'
  const missing = [daemonProgram, 'mmdebstrap', dockerProgram, ...more].filter(
    (program) => spawnSync(program, ['--version']).error !== undefined,
  )
  return missing.length === 0 ? undefined : `missing here: ${missing.join(', ')}`
}

/**
 * An engine of its own in a directory of its own; all that it holds goes with it. Only one at a time may have networks:
 * they are the machine's, and a second one would undo the first one's. One without has none of the machine's in sight: it
 * would take away the bridge of another.
 */
export async function startEngine(network: 'none' | 'own' = 'own'): Promise<Engine> {
  const directory = await mkdtemp(join(tmpdir(), 'countersign-engine-'))
  const log = await open(join(directory, 'log'), 'w')
  const socket = `unix://${join(directory, 'socket')}`
  const alone = network === 'own' ? [] : ['unshare', '--net', '--']
  const [program = '', ...options] = [...alone, ...lineOf(directory, socket, network)]
  const daemon = spawn(program, options, { stdio: ['ignore', log.fd, log.fd] })
  await log.close()
  const ended = once(daemon, 'exit')
  const lastResort = () => daemon.kill()
  process.once('exit', lastResort)
  const environment = {
    PATH: process.env['PATH'] ?? '',
    HOME: directory,
    DOCKER_HOST: socket,
    DOCKER_BUILDKIT: speaksBuildKit() ? '1' : '0',
  }
  const stop = async () => {
    daemon.kill()
    await ended
    process.off('exit', lastResort)
    await rm(directory, { recursive: true, force: true })
  }
  const docker = (args: readonly string[], input = '') =>
    run(dockerProgram, args, { environment, input })
  try {
    await untilReady(docker, () => daemon.exitCode ?? undefined)
  } catch (cause) {
    const words = await readFile(join(directory, 'log'), 'utf8')
    await stop()
    throw new Error(`dockerd does not start here:\n${words.slice(-4000)}`, { cause })
  }
  return { environment, docker, [Symbol.asyncDispose]: stop }
}

function lineOf(directory: string, socket: string, network: 'none' | 'own'): readonly string[] {
  return [
    daemonProgram,
    ...['--data-root', join(directory, 'data'), '--exec-root', join(directory, 'exec')],
    ...['--pidfile', join(directory, 'pid'), '--host', socket, '--log-level', 'warn'],
    ...(network === 'own' ? [] : ['--bridge=none', '--iptables=false', '--ip-forward=false']),
  ]
}

async function untilReady(
  docker: Engine['docker'],
  exitCode: () => number | undefined,
): Promise<void> {
  for (let tries = 0; tries < 600; tries += 1) {
    if (exitCode() !== undefined) throw new Error(`it ended with ${exitCode()}`)
    const answered = await docker(['version']).then(
      () => true,
      () => false,
    )
    if (answered) return
    await delay(100)
  }
  throw new Error('it does not answer')
}

/** Newer programs need a plugin for it, and can build without for as long as that lasts. */
function speaksBuildKit(): boolean {
  const { stdout } = spawnSync(dockerProgram, ['--version'], { encoding: 'utf8' })
  const [, major = '0'] = /version (\d+)\./.exec(stdout) ?? []
  return Number(major) < 23 || spawnSync(dockerProgram, ['buildx', 'version']).status === 0
}
