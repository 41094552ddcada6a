import { once } from 'node:events'
import {
  chmodSync,
  chownSync,
  existsSync,
  linkSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { dirname, join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { chooseSandbox } from '../../src/adapters/sandbox/choose-sandbox.ts'
import { uidRange } from '../../src/adapters/sandbox/process/claim-uid.ts'
import { isReachable } from '../../src/adapters/sandbox/reachable.ts'
import { defaultLimits } from '../../src/adapters/sandbox/sandbox-options.ts'
import type { Box, BoxSpec } from '../../src/ports/sandbox.ts'
import { silentLog } from '../../src/util/log.ts'
import { BoxPool } from '../../src/worker/box/box-pool.ts'
import { openBox } from '../adapters/sandbox/fixtures/box-client.ts'
import { holdInProcess } from '../adapters/sandbox/fixtures/hold-in-process.ts'
import { rareSleep, untilGone, untilRunning } from '../adapters/sandbox/fixtures/processes.ts'
import { makeSandboxPlace, type SandboxPlace } from '../adapters/sandbox/fixtures/sandbox-place.ts'
import { commandBoxContract, makeRunnerPlace } from '../contract/command-box.ts'
import { escapeContract } from '../contract/escapes.ts'
import { sandboxContract } from '../contract/sandbox.ts'
import { withBoxes } from './with-boxes.ts'

const boxes = withBoxes()
const { concurrent, createDriver } = boxes
// Another user can run our files only where every folder above them is open.
const canBeNobody = isReachable(import.meta.filename) && isReachable(process.execPath)
const whenNobody = canBeNobody ? concurrent : test.skip
const nobody = 65_534

const underTest = {
  name: 'docker',
  create: createDriver,
  test: boxes.test,
  confinedTest: boxes.test,
} as const
sandboxContract(underTest)
escapeContract(underTest)

commandBoxContract({ name: 'docker', settings: dockerSettings, test: concurrent })

function dockerSettings(): Readonly<Record<string, string>> {
  const { program, image, environment } = boxes.docker()
  return {
    ...environment,
    COUNTERSIGN_SANDBOX_DRIVER: 'docker',
    COUNTERSIGN_SANDBOX_ENGINE: program,
    COUNTERSIGN_SANDBOX_IMAGE: image,
  }
}

boxes.test(
  'BASH-06 BOX-05 commands reach the network that the operator made and named, file tools none, and by default nobody any',
  async () => {
    const { docker } = boxes.engine()
    const { image } = boxes.docker()
    const peer = '10.213.0.2'
    await docker(['network', 'create', '--subnet=10.213.0.0/29', 'for-commands'])
    const serve =
      "require('node:net').createServer((from) => from.end('reached\\n')).listen(7000, () => console.log('listening'))"
    const named = ['--detach', '--rm', '--network=for-commands', `--ip=${peer}`, '--user=1000']
    const id = await docker(['run', ...named, '--entrypoint=node', image, '--eval', serve])
    await vi.waitFor(async () => expect(await docker(['logs', id.trim()])).toBe('listening\n'), {
      timeout: 120_000,
      interval: 200,
    })
    await using here = await makeRunnerPlace()
    const look = `ls /sys/class/net; for i in 1 2 3 4 5 6 7 8 9; do timeout 2 cat < /dev/tcp/${peer}/7000 && break; sleep 0.2; done; true`
    const closed = await here.open(dockerSettings())
    expect(await closed('bash', { command: look })).not.toMatch(/eth0|reached/)
    const open = await here.open({
      ...dockerSettings(),
      COUNTERSIGN_TOOLS_SHELL_ALLOW_NETWORK: 'true',
      COUNTERSIGN_SANDBOX_NETWORK: 'for-commands',
    })
    expect(await open('bash', { command: look })).toMatch(/eth0[\s\S]*reached/)
    await open('write', { path: 'x', content: 'x' })
    const ids = (await docker(['ps', '--quiet', '--filter', 'label=countersign.box'])).trim()
    const format = '{{.HostConfig.NetworkMode}} {{index .Config.Labels "countersign.box"}}'
    const told = await docker(['inspect', '--format', format, ...ids.split('\n')])
    const [withNetwork, without] = [/^for-commands .*\/commands$/gm, /^none .*\/tools-run$/gm]
    expect(told.match(withNetwork)).toHaveLength(1)
    // Those of both runners for files.
    expect(told.match(without)).toHaveLength(2)
  },
)

concurrent('BASH-06 no network but one of the operator’s own is taken', async () => {
  await using place = makeSandboxPlace()
  const hostId = await boxes.engine().docker(['network', 'inspect', '--format={{.Id}}', 'host'])
  for (const network of ['host', 'none', 'bridge', 'HOST', hostId.trim().slice(0, 12), 'absent'])
    await expect(createDriver({ ...place.options, network }), network).rejects.toThrow(
      /is the engine's own|network of its own|has no \[sandbox\] network "absent"/,
    )
})

/** Names of the containers of a place's boxes, in any state. */
async function containersOf({ options }: SandboxPlace): Promise<readonly string[]> {
  const filter = ['--filter', `label=countersign.installation=${options.cacheDir}`]
  const all = await boxes.engine().docker(['ps', '--all', ...filter, '--format', '{{.Names}}'])
  return all.split('\n').filter((name) => name !== '')
}

concurrent(
  'BOX-03 a box has no right, no network, a root that cannot be written, and its limits bite',
  async () => {
    await using place = makeSandboxPlace()
    const limits = { pids: 64, memoryBytes: 160 * 2 ** 20, cpus: 0.5, tmpBytes: 4 * 2 ** 20 }
    const driver = await createDriver({ ...place.options, limits })
    expect(driver).toMatchObject({ confined: true, warnings: [] })
    await using client = await openBox(driver, place.spec('r1/c1'))
    const status = await client.bash('cat /proc/self/status /proc/1/status')
    for (const kind of ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb'])
      expect(status.match(new RegExp(`^Cap${kind}:\t0{16}$`, 'gm')), kind).toHaveLength(2)
    expect(status.match(/^NoNewPrivs:\t1$/gm)).toHaveLength(2)
    expect(status.match(/^Seccomp:\t2$/gm)).toHaveLength(2)
    expect(status.match(/^Uid:\t(?!0\t)(\d+)\t\1\t\1\t\1$/gm)).toHaveLength(2)
    expect(await client.bash('id -un; id -G | wc -w')).toMatch(/^box\s+1\s*$/)
    for (const path of ['/new', '/usr/new', '/etc/passwd', '/opt/countersign/executor/main.mjs'])
      expect(await client.bash(`(exec 9>>${path}) 2>&1 && echo OPENED || true`)).toMatch(
        /Read-only file system|Permission denied/,
      )
    expect((await client.bash('ls /sys/class/net')).trim()).toBe('lo')
    expect(await client.bash('head -c 9M /dev/zero > /tmp/big; stat -c %s /tmp/big')).toMatch(
      /No space left[\s\S]*4194304/,
    )
    const program = 'rm /tmp/big; printf "#!/bin/sh\necho ran" > /tmp/x; chmod +x /tmp/x; /tmp/x'
    expect(await client.bash(program)).toContain('ran')
    expect(await client.bash("node -e 'Buffer.alloc(4e8, 1)'; echo ended $?")).toContain(
      'ended 137',
    )
    // Not bash, which tries again for seconds.
    const fork = "sh -c 'for i in $(seq 90); do sleep 9 & done'; echo end"
    expect(await client.bash(fork)).toMatch(/fork|Resource temporarily unavailable/)
    const [name = ''] = await containersOf(place)
    const [told] = JSON.parse(await boxes.engine().docker(['inspect', name]))
    expect(told.HostConfig).toMatchObject({
      NanoCpus: 500_000_000,
      MemorySwap: limits.memoryBytes,
      LogConfig: { Type: 'none' },
      NetworkMode: 'none',
      Privileged: false,
      AutoRemove: true,
    })
    expect(told.Config.Labels).toMatchObject({
      'countersign.box': `${place.prefix}r1/c1`,
      'countersign.installation': place.options.cacheDir,
    })
  },
)

concurrent(
  'BOX-03 BOX-05 THREAT-13 nothing of the host is in a box: no proxy of the program’s settings, no place, no engine, even where its socket is mounted',
  async () => {
    await using place = makeSandboxPlace()
    const settings = join(place.dir, 'settings')
    mkdirSync(settings)
    const proxies = { default: { httpProxy: 'http://user:secret@proxy:1' } }
    writeFileSync(join(settings, 'config.json'), JSON.stringify({ proxies }))
    const docker = boxes.docker()
    const socket = join(place.dir, 'shared', 'engine.sock')
    mkdirSync(dirname(socket))
    await using server = createServer((from) => from.end())
    await once(server.listen(socket), 'listening')
    chmodSync(socket, 0o777)
    const own = { DOCKER_CONFIG: settings, CONTAINER_HOST: `unix://${socket}` }
    const { driver } = await chooseSandbox({
      ...place.options,
      docker: { ...docker, environment: { ...docker.environment, ...own } },
      driver: 'docker',
      log: silentLog,
    })
    const spec = place.spec('r1/c1', { readWrite: [dirname(socket)] })
    await using client = await openBox(driver, spec)
    const environs = await client.bash("cat /proc/[0-9]*/environ | tr '\\0' '\\n'")
    expect(environs).toContain(`COUNTERSIGN_BOX=${place.prefix}r1/c1`)
    expect(environs).not.toMatch(/proxy|secret|DOCKER/i)
    expect(await client.bash(`ls ${dirname(socket)}`)).toContain('engine.sock')
    const connect = `require('net').connect('${socket}').on('connect', () => console.log('OPEN')).on('error', ({ code }) => console.log(code))`
    expect(await client.bash(`node -e "${connect}"`)).toMatch(/ECONNREFUSED|ENOTSOCK|EACCES/)
    expect(await client.bash('ls -A /root /home /srv /mnt 2>&1 || true')).not.toMatch(/^\w+$/m)
    expect(await client.bash('hostname || cat /etc/hostname')).toContain('countersign')
    const seen = (await client.bash('echo /proc/[0-9]*')).trim().split(' ')
    expect(seen.length).toBeLessThan(8)
  },
)

concurrent(
  'BOX-07 allowed places are writable, places to read are not, under their own path, whatever their name',
  async () => {
    await using place = makeSandboxPlace()
    const driver = await createDriver(place.options)
    const [shared, reference] = [join(place.dir, 'sha,red "x"'), join(place.dir, 'reference')]
    for (const dir of [shared, reference]) mkdirSync(dir)
    chmodSync(shared, 0o777)
    chmodSync(reference, 0o777)
    writeFileSync(join(reference, 'page'), 'words')
    const spec = place.spec('r1/c1', {
      readWrite: [shared, shared],
      readOnly: [reference, '/etc/hostname', join(place.dir, 'absent')],
    })
    await using client = await openBox(driver, spec)
    expect(await client.bash(`cat ${reference}/page; echo x > '${shared}/new'`)).toContain('words')
    expect(existsSync(join(shared, 'new'))).toBe(true)
    expect(await client.bash(`echo x > ${reference}/new || true`)).toContain('Read-only')
    expect(await client.bash(`ls ${place.dir}`)).not.toContain('data')
    for (const readOnly of [['/'], ['/etc'], ['/usr'], ['/lib']])
      await expect(driver.start(place.spec('r1/c2', { readOnly }))).rejects.toThrow(
        'cannot be mounted',
      )
  },
)

concurrent(
  'GATE-12 THREAT-10 masked places are empty and cannot be made or moved away, whether they are there or not',
  async () => {
    await using place = makeSandboxPlace()
    const driver = await createDriver(place.options)
    const spec = place.spec('r1/c1')
    const at = (name: string) => join(spec.workspace, name)
    mkdirSync(at('.countersign'))
    mkdirSync(at('a/b'), { recursive: true })
    for (const name of ['.countersign/signing.key', '.env', 'a/b/filters.toml'])
      writeFileSync(at(name), 'the-key')
    const names = ['.countersign', '.env', 'countersign.toml', 'new/agents', 'a/b/filters.toml']
    const client = await openBox(driver, { ...spec, masked: names.map(at) })
    const look = 'cat .env .countersign/* a/b/* 2>&1; ls -A .countersign || true'
    expect(await client.bash(look)).not.toContain('the-key')
    for (const name of [...names, '.countersign/x', 'new/x'])
      await client.script(`mkdir -p $(dirname ${name}); echo evil > ${name}; true`)
    for (const name of [...names, 'a/b', 'a', 'new'])
      await client.script(
        `mv ${name} moved; grep -r the-key moved && exit; rm -rf ${name} moved; true`,
      )
    client.box.stdin.end()
    await client.box.exited
    expect(readdirSync(spec.workspace).sort()).toEqual(['.countersign', '.env', 'a'])
    for (const name of ['.countersign/signing.key', '.env', 'a/b/filters.toml'])
      expect(readFileSync(at(name), 'utf8')).toBe('the-key')
  },
)

concurrent('GATE-12 a box ends when what it covers is replaced on the host', async () => {
  await using place = makeSandboxPlace()
  const driver = await createDriver(place.options)
  const spec = place.spec('r1/c1')
  const file = join(spec.workspace, 'countersign.toml')
  const client = await openBox(driver, { ...spec, masked: [file] })
  writeFileSync(file, 'rules = 1\n')
  await client.box.exited
  expect(await containersOf(place)).toEqual([])
  expect(readFileSync(file, 'utf8')).toBe('rules = 1\n')
})

concurrent(
  'BOX-03 files belong to the workspace’s owner, root’s to a user of its own, and no box is root',
  async () => {
    await using place = makeSandboxPlace()
    const driver = await createDriver(place.options)
    const theirs = place.spec('r1/theirs')
    const plain = place.spec('r1/ours')
    const ours = { ...plain, masked: [join(plain.workspace, 'hidden')] }
    chownSync(theirs.workspace, 1234, 4321)
    for (const name of ['before', 'hidden', 'linked']) writeFileSync(join(ours.workspace, name), '')
    linkSync(join(ours.workspace, 'linked'), join(place.dir, 'elsewhere'))
    await using own = await openBox(driver, ours)
    await using other = await openBox(driver, theirs)
    await Promise.all([own.bash('echo x >> before; touch made'), other.bash('touch made')])
    const made = statSync(join(ours.workspace, 'made'))
    expect(made.uid).toBeGreaterThanOrEqual(uidRange.first)
    expect(statSync(join(ours.workspace, 'before'))).toMatchObject({ uid: made.uid, size: 2 })
    expect((await own.bash('id -u')).trim()).toContain(String(made.uid))
    for (const name of ['hidden', 'linked'])
      expect(statSync(join(ours.workspace, name)).uid, name).toBe(0)
    expect(statSync(join(theirs.workspace, 'made'))).toMatchObject({ uid: 1234, gid: 4321 })
  },
)

whenNobody('BOX-03 a worker that is no root starts boxes as itself', async () => {
  await using place = makeSandboxPlace()
  const spec = place.spec('r1/c1')
  const { docker, socket } = lentEngine()
  for (const dir of [join(place.dir, 'data'), place.options.workspacesDir, spec.workspace])
    chownSync(dir, nobody, nobody)
  const options = { ...place.options, docker }
  const hold = { driver: 'docker' as const, options, spec, command: 'id -u; touch made' }
  await using holder = await holdInProcess(hold, { uid: nobody })
  chownSync(socket, 0, 0)
  expect(holder.held).toMatchObject({ name: 'docker', confined: true })
  expect(holder.held.output).toContain(String(nobody))
  expect(statSync(join(spec.workspace, 'made')).uid).toBe(nobody)
  chownSync(socket, nobody, nobody)
})

/** Lets `nobody` use the engine, and nobody else. */
function lentEngine() {
  const docker = boxes.docker()
  const socket = (docker.environment['DOCKER_HOST'] ?? '').replace('unix://', '')
  chmodSync(dirname(socket), 0o711)
  chownSync(socket, nobody, nobody)
  const HOME = '/nonexistent'
  return { socket, docker: { ...docker, environment: { ...docker.environment, HOME } } }
}

/** Stops the executor itself, which then hears nothing any more: not before its call is answered, and we say so. */
const freezeLater = 'until [ -e freeze ]; do sleep 0.1; done; kill -STOP $PPID'

function freeze({ workspace, key }: BoxSpec): Promise<void> {
  writeFileSync(join(workspace, 'freeze'), '')
  return vi.waitFor(() => expect(statesOf(key)).toContain('T'), { timeout: 120_000, interval: 100 })
}

/** The states of the processes of a box, as this machine sees them. */
function statesOf(key: string): readonly string[] {
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  const read = (pid: string, name: string) => {
    try {
      return readFileSync(`/proc/${pid}/${name}`, 'utf8')
    } catch {
      return ''
    }
  }
  return pids
    .filter((pid) => read(pid, 'environ').includes(`COUNTERSIGN_BOX=${key}\0`))
    .map((pid) => /\) (\w)/.exec(read(pid, 'stat'))?.[1] ?? '')
}

concurrent(
  'BOX-02 BOX-03 the engine’s program is killed: its container ends with it, even one that hears nothing',
  async () => {
    await using place = makeSandboxPlace()
    const driver = await createDriver(place.options)
    const spec = place.spec('r1/c1')
    const client = await openBox(driver, spec)
    const word = rareSleep()
    await client.leave(`exec sleep ${word}`)
    await client.leave(freezeLater)
    await freeze(spec)
    process.kill(client.box.pid, 'SIGKILL')
    await client.box.exited
    expect(await containersOf(place)).toEqual([])
    await untilGone(word)
  },
)

concurrent('BOX-06 BASH-03 a worker is killed: its boxes end by themselves', async () => {
  await using place = makeSandboxPlace()
  const spec = place.spec('r1/c1')
  const word = rareSleep()
  const options = { ...place.options, docker: boxes.docker() }
  const leave = `exec sleep ${word}`
  const holder = await holdInProcess({ driver: 'docker', options, spec, command: 'true', leave })
  await untilRunning(word, 1)
  holder.child.kill('SIGKILL')
  await untilGone(word)
  await vi.waitFor(async () => expect(await containersOf(place)).toEqual([]), { timeout: 120_000 })
})

concurrent(
  'BOX-06 a box that hears nothing outlives its killed worker, until the next one sweeps',
  async () => {
    await using place = makeSandboxPlace()
    const driver = await createDriver(place.options)
    const options = { ...place.options, docker: boxes.docker() }
    const spec = place.spec('dead/c1')
    const hold = { driver: 'docker' as const, options, spec, command: 'true', leave: freezeLater }
    const holder = await holdInProcess(hold)
    await freeze(spec)
    await using living = await openBox(driver, place.spec('living/c1'))
    holder.child.kill('SIGKILL')
    expect(await driver.sweep(`${place.prefix}dead/`)).toBe(1)
    expect(await containersOf(place)).toHaveLength(1)
    expect(await driver.sweep(`${place.prefix}dead/`)).toBe(0)
    expect(await living.bash('echo alive')).toContain('alive')
  },
)

concurrent(
  'BOX-02 a container that somebody else killed is told, and replaced at the next call',
  async () => {
    await using place = makeSandboxPlace()
    const driver = await createDriver(place.options)
    const started: Box[] = []
    const start = async (spec: Parameters<typeof driver.start>[0]) => {
      const box = await driver.start(spec)
      started.push(box)
      return box
    }
    await using pool = new BoxPool({
      driver: { ...driver, start },
      specFor: (id) => place.spec(`r1/${id}`),
      idleTimeoutMs: 60_000,
      maxBoxes: 2,
    })
    const { signal } = new AbortController()
    const first = await pool.lease('c1', signal)
    const [name = ''] = await containersOf(place)
    await boxes.engine().docker(['kill', name])
    expect(await started[0]?.exited).toEqual({ code: 137, signal: null })
    first[Symbol.dispose]()
    using second = await pool.lease('c1', signal)
    expect(second.client.isDead).toBe(false)
    expect(started).toHaveLength(2)
    expect(await containersOf(place)).toHaveLength(1)
  },
)

concurrent(
  'BOX-01 auto takes docker where bubblewrap does not work and the image is there, and says why',
  async () => {
    await using place = makeSandboxPlace()
    const docker = boxes.docker()
    const options = { ...place.options, bwrapBinary: '/nonexistent/bwrap', log: silentLog }
    const chosen = await chooseSandbox({ ...options, docker, driver: 'auto' })
    expect(chosen.driver.name).toBe('docker')
    expect(chosen.why).toMatch(/^docker: bubblewrap does not work here .*nonexistent/)
    const other = { ...docker, image: 'no-such-image' }
    const without = await chooseSandbox({ ...options, docker: other, driver: 'auto' })
    expect(without.driver.name).toBe('process')
    expect(without.why).toMatch(/bubblewrap does not work .*; docker does not work .*no-such-image/)
    await expect(chooseSandbox({ ...options, docker: other, driver: 'docker' })).rejects.toThrow(
      'build --target box --tag no-such-image .',
    )
  },
)

concurrent(
  'BOX-02 DECISION-32 an engine to which our paths are other directories is told at start',
  async () => {
    await using place = makeSandboxPlace()
    const hidden = join(place.dir, 'elsewhere')
    mkdirSync(hidden)
    // An engine elsewhere: it takes another directory for the one of the probe.
    const program = join(place.dir, 'docker')
    const real = boxes.docker().program
    const script = `#!/bin/bash\nargs=()\nfor it in "$@"; do args+=("\${it/source=*probe-docker,/source=${hidden},}"); done\nexec ${real} "\${args[@]}"\n`
    writeFileSync(program, script, { mode: 0o755 })
    chmodSync(hidden, 0o777)
    const docker = { ...boxes.docker(), program }
    await expect(
      chooseSandbox({ ...place.options, docker, driver: 'docker', log: silentLog }),
    ).rejects.toThrow('is it the same directory to the engine')
  },
)

concurrent('BOX-03 the default limits start a box here', async () => {
  await using place = makeSandboxPlace()
  const driver = await createDriver({ ...place.options, limits: { ...defaultLimits, cpus: 900 } })
  await using client = await openBox(driver, place.spec('r1/c1'))
  expect(await client.bash('echo fine')).toContain('fine')
})
