import { chownSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import {
  createDockerDriver,
  engineSockets,
} from '../../../src/adapters/sandbox/docker/docker-driver.ts'
import { defaultLimits } from '../../../src/adapters/sandbox/sandbox-options.ts'
import { standInEngine } from './fixtures/engine-stand-in.ts'
import { makeSandboxPlace, type SandboxPlace } from './fixtures/sandbox-place.ts'

const docker = { MemoryLimit: true, CpuCfsQuota: true, PidsLimit: true, NCPU: 64 }
const podman = (rootless: boolean, cgroupControllers: readonly string[]) => ({
  host: { cgroupControllers, cpus: 1, security: { rootless } },
})
const whenRoot = process.getuid?.() === 0 ? test : test.skip

/** The warnings of a driver on an engine with these facts, and the arguments by which it creates a box. */
async function boxOver(place: SandboxPlace, info: object, label?: string) {
  const engine = standInEngine(place, info, label)
  const driver = await createDockerDriver({ ...place.options, docker: engine })
  const spec = place.spec('r1/c1')
  if (process.getuid?.() === 0) chownSync(spec.workspace, 1234, 1234)
  const box = await driver.start(spec)
  await box.exited
  return { warnings: driver.warnings, line: engine.made() }
}

test('BOX-03 a container is created with these arguments', async () => {
  await using place = makeSandboxPlace()
  const { line, warnings } = await boxOver(place, docker)
  expect(warnings).toEqual([])
  expect(line).toEqual(
    expect.arrayContaining([
      'create',
      ...['--interactive', '--rm', '--pull=never', '--log-driver=none'],
      ...['--network=none', '--read-only', '--cap-drop=ALL', '--security-opt=no-new-privileges'],
      `--pids-limit=${defaultLimits.pids}`,
      `--memory=${defaultLimits.memoryBytes}b`,
      `--memory-swap=${defaultLimits.memoryBytes}b`,
      '--cpus=2',
      `--tmpfs=/tmp:rw,exec,nosuid,nodev,size=${defaultLimits.tmpBytes},mode=1777`,
      '--env=HTTPS_PROXY',
    ]),
  )
  expect(line.join(' ')).not.toMatch(/privileged|--volume|--publish|cap-add|docker\.sock/)
})

test('BOX-03 a limit that the engine lacks is not requested, and causes a warning', async () => {
  await using place = makeSandboxPlace()
  const none = { ...docker, MemoryLimit: false, PidsLimit: false, CpuCfsQuota: false }
  const { line, warnings } = await boxOver(place, none)
  expect(line.join(' ')).not.toMatch(/--memory|--pids|--cpus/)
  expect(warnings).toEqual([
    expect.stringMatching(/^no limit on memory here: /),
    expect.stringMatching(/^no limit on processes here: /),
    expect.stringMatching(/^no limit on processors here: /),
  ])
})

test('THREAT-5 an image whose Node commands can trace causes a warning', async () => {
  await using place = makeSandboxPlace()
  const { warnings } = await boxOver(place, docker, '<no value>')
  expect(warnings).toEqual([expect.stringContaining('commands can trace what runs them')])
})

test('BOX-03 no more processors are requested than the engine has', async () => {
  await using place = makeSandboxPlace()
  const { line } = await boxOver(place, podman(false, ['cpu', 'memory', 'pids']))
  expect(line).toContain('--cpus=1')
})

whenRoot(
  'BOX-03 rootless podman keeps the owner’s number, rootless docker calls it root',
  async () => {
    await using place = makeSandboxPlace()
    const kept = await boxOver(place, podman(true, []))
    expect(kept.line).toEqual(expect.arrayContaining(['--user=1234:1234', '--userns=keep-id']))
    expect(kept.warnings).toHaveLength(3)
    const rootless = { ...docker, SecurityOptions: ['name=seccomp', 'name=rootless'] }
    expect((await boxOver(place, rootless)).line).toContain('--user=0:0')
    expect((await boxOver(place, docker)).line).toContain('--user=1234:1234')
  },
)

test('BOX-01 a missing program, engine or kind of containers is reported clearly', async () => {
  await using place = makeSandboxPlace()
  const create = (program: string) =>
    createDockerDriver({
      ...place.options,
      docker: { program, image: 'boxes', environment: {} },
    })
  const failing = join(place.dir, 'failing')
  const words = 'Cannot connect to the Docker daemon at unix:///x. Is the docker daemon running?'
  writeFileSync(failing, `#!/bin/sh\necho '${words}' >&2\nexit 1\n`, { mode: 0o755 })
  await expect(create('no-such-engine')).rejects.toThrow('no-such-engine is not installed')
  await expect(create(failing)).rejects.toThrow(/cannot be reached: Cannot connect.*DOCKER_HOST/)
  const half = standInEngine(place, { ServerErrors: ['permission denied'] })
  await expect(create(half.program)).rejects.toThrow('cannot be reached: permission denied')
  const windows = standInEngine(place, { ...docker, OSType: 'windows' })
  await expect(create(windows.program)).rejects.toThrow('windows containers')
  await expect(createDockerDriver(place.options)).rejects.toThrow('no engine')
})

test('THREAT-13 existing sockets through which the engine is reached are hidden', async () => {
  await using place = makeSandboxPlace()
  mkdirSync(join(place.dir, 'podman'))
  const [own, usual] = [join(place.dir, 'own.sock'), join(place.dir, 'podman/podman.sock')]
  for (const file of [own, usual]) writeFileSync(file, '')
  const found = engineSockets({
    DOCKER_HOST: `unix://${own}`,
    CONTAINER_HOST: 'ssh://somewhere',
    XDG_RUNTIME_DIR: place.dir,
  })
  expect(found).toEqual(expect.arrayContaining([own, usual]))
  expect(found).not.toContain(join(place.dir, 'docker.sock'))
})
