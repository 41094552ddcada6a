import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { createBubblewrapDriver } from '../../../src/adapters/sandbox/bubblewrap/bubblewrap-driver.ts'
import { isReachable } from '../../../src/adapters/sandbox/reachable.ts'
import { defaultLimits } from '../../../src/adapters/sandbox/sandbox-options.ts'
import { escapeContract } from '../../contract/escapes.ts'
import { sandboxContract } from '../../contract/sandbox.ts'
import { requirement } from '../../support/run/requirements.ts'
import { openBox } from './fixtures/box-client.ts'
import { holdInProcess } from './fixtures/hold-in-process.ts'
import { makeSandboxPlace } from './fixtures/sandbox-place.ts'

const { bubblewrap } = requirement
const isRoot = process.getuid?.() === 0
const nobody = 65_534
/** Another user can run our files only where every folder above them is open. */
const canBeNobody = isRoot && isReachable(import.meta.filename) && isReachable(process.execPath)
const whenRoot = isRoot ? bubblewrap : test.skip
const whenNobody = canBeNobody ? bubblewrap : test.skip

const underTest = {
  name: 'bubblewrap',
  create: createBubblewrapDriver,
  test: bubblewrap,
  confinedTest: bubblewrap,
} as const
sandboxContract(underTest)
escapeContract(underTest)

bubblewrap('BOX-04 a box has a made-up /etc and nothing of the host but /usr', async () => {
  await using place = makeSandboxPlace()
  const driver = await createBubblewrapDriver(place.options)
  await using client = await openBox(driver, place.spec('r1/c1'))
  expect(await client.bash('id -un; id -u; cat /etc/passwd | wc -l')).toMatch(/box\s+1000\s+3/)
  const top = await client.bash('ls -A /')
  for (const hidden of ['root', 'home', 'var', 'run', 'srv', 'boot', 'sys', 'mnt'])
    expect(top.split('\n')).not.toContain(hidden)
  const etc = (await client.bash('ls -A /etc')).split('\n')
  for (const hidden of ['shadow', 'gshadow', 'ssh', 'sudoers', 'machine-id', 'environment'])
    expect(etc).not.toContain(hidden)
})

bubblewrap(
  'THREAT-11 a box cannot write the system, the kernel’s settings or a new file',
  async () => {
    await using place = makeSandboxPlace()
    const driver = await createBubblewrapDriver(place.options)
    await using client = await openBox(driver, place.spec('r1/c1'))
    // Opens only: where the fence is missing, the host's setting must not change.
    const open = (path: string) => client.bash(`(exec 9>>${path}) 2>&1 && echo OPENED || true`)
    for (const path of ['/proc/sys/kernel/core_pattern', '/usr/new', '/new', '/etc/passwd'])
      expect(await open(path)).toMatch(/Read-only file system|Permission denied/)
    expect(await client.bash('grep -E "^(CapEff|CapBnd|NoNewPrivs)" /proc/self/status')).toMatch(
      /CapEff:\s+0+\s+CapBnd:\s+0+\s+NoNewPrivs:\s+1/,
    )
  },
)

bubblewrap(
  'BASH-06 BOX-05 a box has no network: a port of the host cannot be reached',
  async () => {
    const server = createServer((socket) => socket.end('reached'))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    const address = server.address()
    const port = typeof address === 'object' ? address?.port : undefined
    try {
      await using place = makeSandboxPlace()
      const driver = await createBubblewrapDriver(place.options)
      await using client = await openBox(driver, place.spec('r1/c1'))
      const output = await client.bash(`cat < /dev/tcp/127.0.0.1/${port} || true`)
      expect(output).toContain('refused')
      expect(output).not.toContain('reached')
      const wanted = 'getent hosts example.com || { echo "Could not resolve host"; exit 6; }'
      expect(await client.bash(wanted)).toContain('Commands have no network in this box')
      expect(await client.bash('ls /sys/class/net /proc/net/dev; cat /proc/net/dev')).not.toMatch(
        /eth|ens|enp|wl/,
      )
    } finally {
      server.close()
    }
  },
)

bubblewrap('BOX-05 a box sees no process of the host or of another box', async () => {
  await using place = makeSandboxPlace()
  const driver = await createBubblewrapDriver(place.options)
  await using _other = await openBox(driver, place.spec('r1/other'))
  await using client = await openBox(driver, place.spec('r1/c1'))
  const environs = await client.bash(
    "cat /proc/[0-9]*/environ 2>/dev/null | tr '\\0' '\\n' | grep _BOX= | sort -u",
  )
  expect(environs.trim().split('\n').at(-1)).toContain('r1/c1')
  expect(environs).not.toContain('r1/other')
  expect((await client.bash('echo /proc/[0-9]*')).split(' ').length).toBeLessThan(10)
})

bubblewrap(
  'BOX-07 allowed places are writable, places to read are not, both under their own path',
  async () => {
    await using place = makeSandboxPlace()
    const driver = await createBubblewrapDriver(place.options)
    const [shared, reference] = [join(place.dir, 'shared'), join(place.dir, 'reference')]
    for (const dir of [shared, reference]) mkdirSync(dir)
    chmodSync(shared, 0o777)
    writeFileSync(join(reference, 'page'), 'words')
    const spec = place.spec('r1/c1', {
      readWrite: [shared],
      readOnly: [reference, '/etc/hostname', join(place.dir, 'absent')],
    })
    await using client = await openBox(driver, spec)
    expect(await client.bash(`cat ${reference}/page; echo x > ${shared}/new`)).toContain('words')
    expect(existsSync(join(shared, 'new'))).toBe(true)
    expect(await client.bash(`echo x > ${reference}/new || true`)).toContain('Read-only')
    expect(await client.bash(`ls ${place.dir}`)).not.toContain('data')
  },
)

bubblewrap(
  'GATE-12 THREAT-10 masked places are empty and cannot be made, whether they are there or not',
  async () => {
    await using place = makeSandboxPlace()
    const driver = await createBubblewrapDriver(place.options)
    const spec = place.spec('r1/c1')
    const at = (name: string) => join(spec.workspace, name)
    mkdirSync(at('.countersign'))
    writeFileSync(at('.countersign/signing.key'), 'the-key')
    writeFileSync(at('.env'), 'TOKEN=1')
    const masked = [
      at('.countersign'),
      at('.env'),
      at('countersign.toml'),
      at('new/agents'),
      '/usr/lib',
    ]
    const client = await openBox(driver, { ...spec, masked: masked.slice(0, 4) })
    expect(
      await client.bash('cat .env .countersign/* 2>&1; ls -A .countersign || true'),
    ).not.toMatch(/the-key|TOKEN/)
    for (const name of ['.env', 'countersign.toml', '.countersign/x', 'new/agents', 'new/x'])
      await client.bash(`mkdir -p $(dirname ${name}); echo evil > ${name} || true`)
    client.box.stdin.end()
    await client.box.exited
    expect(readdirSync(spec.workspace).sort()).toEqual(['.countersign', '.env'])
    expect(readdirSync(at('.countersign'))).toEqual(['signing.key'])
    expect(statSync(at('.env')).size).toBe('TOKEN=1'.length)
  },
)

bubblewrap(
  'GATE-12 a masked place inside a mounted one stays hidden, and none inside a masked one is mounted',
  async () => {
    await using place = makeSandboxPlace()
    const driver = await createBubblewrapDriver(place.options)
    const data = join(place.dir, 'data')
    writeFileSync(join(data, 'secret'), 'the-key')
    const readWrite = [place.dir, join(data, 'cache')]
    await using client = await openBox(driver, place.spec('r1/c1', { readWrite, masked: [data] }))
    expect(await client.bash(`ls -A ${data} ${data}/cache || true`)).not.toMatch(
      /secret|etc|executor-/,
    )
    expect(await client.bash('echo own > own && cat own')).toContain('own')
  },
)

bubblewrap('BOX-04 a place that would hide the box’s own system is refused', async () => {
  await using place = makeSandboxPlace()
  const driver = await createBubblewrapDriver(place.options)
  for (const readOnly of [['/'], ['/etc'], ['/proc'], ['/opt']])
    await expect(driver.start(place.spec('r1/c1', { readOnly }))).rejects.toThrow(
      'cannot be mounted',
    )
})

bubblewrap('BOX-04 works below a folder that only its owner may enter', async () => {
  await using place = makeSandboxPlace('closed')
  const driver = await createBubblewrapDriver(place.options)
  await using client = await openBox(driver, place.spec('r1/c1'))
  expect(await client.bash('touch made && ls')).toContain('made')
})

whenRoot('BOX-04 started by root in files of somebody else, a box can write them', async () => {
  await using place = makeSandboxPlace()
  const driver = await createBubblewrapDriver(place.options)
  const spec = place.spec('r1/c1')
  chownSync(spec.workspace, nobody, nobody)
  await using client = await openBox(driver, spec)
  await client.bash('touch made')
  expect(statSync(join(spec.workspace, 'made')).uid).toBe(nobody)
})

whenNobody('BOX-04 DECISION-30 works for a plain user, who gets a limit on processes', async () => {
  await using place = makeSandboxPlace()
  const options = { ...place.options, limits: { ...defaultLimits, pids: 40 } }
  const spec = place.spec('r1/c1')
  for (const dir of [join(place.dir, 'data'), options.workspacesDir, spec.workspace])
    chownSync(dir, nobody, nobody)
  const command = 'id -u; touch made; for i in $(seq 80); do sleep 20 & done; echo end'
  await using holder = await holdInProcess(
    { driver: 'bubblewrap', options, spec, command },
    { uid: nobody },
  )
  expect(holder.held.output).toMatch(/1000[\s\S]*(fork|Resource temporarily unavailable)/)
  expect(statSync(join(spec.workspace, 'made')).uid).toBe(nobody)
})

bubblewrap(
  'BOX-04 DECISION-30 a box without a control group has a limit on processes, whoever started it, and serves on',
  async () => {
    await using place = makeSandboxPlace()
    const driver = await createBubblewrapDriver({
      ...place.options,
      limits: { ...defaultLimits, pids: 60 },
    })
    await using client = await openBox(driver, place.spec('r1/c1'))
    expect(await client.bash('for i in $(seq 30); do sleep 1 & done; wait; echo few')).toContain(
      'few',
    )
    // Bounded: 200 that sleep.
    const many = 'for i in $(seq 200); do setsid sleep 30 & done; wait; echo all'
    expect(await client.script(`sh -c '${many}' 2>&1; true`)).not.toContain('all')
    expect((await client.bash('echo /proc/[0-9]*')).split(' ').length).toBeLessThan(60)
  },
)

whenRoot(
  'BOX-04 THREAT-31 in files of root a box is a user of its own on the host too, and within neither root nor a way to it',
  async () => {
    await using place = makeSandboxPlace('closed')
    const driver = await createBubblewrapDriver(place.options)
    const spec = place.spec('r1/c1')
    const at = (name: string) => join(spec.workspace, name)
    writeFileSync(at('ours'), 'of root\n')
    chmodSync(spec.workspace, 0o700)
    await using client = await openBox(driver, spec)
    expect(
      await client.bash('id -u; id -g; echo more >> ours; mkdir made; cp ours made/copy'),
    ).toMatch(/^1000\s+1000/)
    const { uid } = statSync(spec.workspace)
    expect(uid).toBeGreaterThanOrEqual(52_000)
    for (const name of ['ours', 'made', 'made/copy'])
      expect(statSync(at(name))).toMatchObject({ uid, gid: uid })
    expect(statSync(`/proc/${hostPidOf(client.box.pid)}`).uid).toBe(uid)
    for (const way of [
      'unshare -Ur id -u',
      'setpriv --reuid=0 id -u',
      'python3 -c "import os; os.setuid(0); print(os.getuid())"',
      'chown 0:0 ours',
      'mount -t tmpfs x /tmp',
      'kill -9 1',
      'head -c 1 /proc/1/environ',
      'install -m 4755 /usr/bin/id ./own && ./own -u',
    ])
      expect(await client.script(`(${way}) 2>&1 || echo refused`), way).toContain('refused')
    expect(await client.bash('touch /tmp/a /dev/shm/b && ls /dev/shm')).toContain('b')
    writeFileSync(join(place.dir, 'key'), 'the-key', { mode: 0o600 })
    await using reader = await openBox(
      driver,
      place.spec('r1/c2', { readOnly: [join(place.dir, 'key')] }),
    )
    expect(await reader.script(`cat ${place.dir}/key 2>&1 || true`)).not.toContain('the-key')
  },
)

/** Process of the executor, as the host counts: the innermost descendant of bubblewrap. */
function hostPidOf(pid: number): number {
  const child = readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ')[0]
  return child === undefined || child === '' ? pid : hostPidOf(Number(child))
}

bubblewrap('THREAT-9 a descriptor that we inherited is not handed down', async () => {
  await using place = makeSandboxPlace()
  const spec = place.spec('r1/c1')
  const command = 'ls -l /proc/self/fd /proc/$PPID/fd'
  const descriptor = openSync('/etc', 'r')
  const hold = { driver: 'bubblewrap' as const, options: place.options, spec, command }
  await using holder = await holdInProcess(hold, { descriptor })
  expect(holder.held.output).toContain('/dev/null')
  expect(holder.held.output).not.toContain('/etc')
})

bubblewrap(
  'GATE-12 THREAT-10 the folder around a masked place cannot be moved away to make another one',
  async () => {
    await using place = makeSandboxPlace()
    const driver = await createBubblewrapDriver(place.options)
    const spec = place.spec('r1/c1')
    const at = (name: string) => join(spec.workspace, name)
    mkdirSync(at('a/b/.countersign/workers'), { recursive: true })
    const masked = [at('a/b/.countersign'), at('a/b/countersign.toml')]
    await using client = await openBox(driver, { ...spec, masked })
    for (const folder of ['a', 'a/b']) await client.bash(`mv ${folder} ${folder}2 || true`)
    await client.bash('mkdir -p a/b/.countersign/workers && echo evil > a/b/.countersign/x || true')
    await client.bash('echo own > a/b/own && mv a/b/own a/own && mkdir a/c && mv a/c c')
    expect(readdirSync(spec.workspace).sort()).toEqual(['a', 'c'])
    expect(readdirSync(at('a')).sort()).toEqual(['b', 'own'])
    expect(readdirSync(at('a/b/.countersign'))).toEqual(['workers'])
  },
)

bubblewrap('GATE-12 what is masked inside a masked folder does not keep a box away', async () => {
  await using place = makeSandboxPlace()
  const driver = await createBubblewrapDriver(place.options)
  const spec = place.spec('r1/c1')
  const data = join(spec.workspace, '.countersign')
  mkdirSync(join(data, 'keys'), { recursive: true })
  writeFileSync(join(data, 'keys/signing.pem'), 'the-key')
  const masked = [join(data, 'keys/signing.pem'), data]
  await using client = await openBox(driver, { ...spec, masked })
  expect(await client.bash('ls -AR .countersign')).not.toContain('keys')
})

bubblewrap(
  'BOX-07 a place to read stays so inside a writable one that hides something',
  async () => {
    await using place = makeSandboxPlace()
    const driver = await createBubblewrapDriver(place.options)
    const outer = join(place.dir, 'outer')
    const reference = join(outer, 'reference')
    mkdirSync(join(reference, 'sub/secret'), { recursive: true })
    const masked = [join(reference, 'sub/secret'), join(outer, 'x/secret')]
    const spec = place.spec('r1/c1', { readWrite: [outer], readOnly: [reference], masked })
    await using client = await openBox(driver, spec)
    expect(await client.bash(`touch ${reference}/sub/new || true`)).toContain('Read-only')
    expect(await client.bash(`touch ${outer}/new && ls ${outer}`)).toContain('new')
  },
)

bubblewrap(
  'GATE-12 a box ends when a masked file is replaced on the host, and the next one masks the new file',
  async () => {
    await using place = makeSandboxPlace()
    const driver = await createBubblewrapDriver(place.options)
    const spec = place.spec('r1/c1')
    const at = (name: string) => join(spec.workspace, name)
    writeFileSync(at('countersign.toml'), 'old')
    const boxed = { ...spec, masked: [at('countersign.toml'), at('filters.toml')] }
    for (const name of ['countersign.toml', 'filters.toml']) {
      const client = await openBox(driver, boxed)
      await client.bash('for i in 1 2 3; do echo own > own-$i; done')
      // As editors save.
      writeFileSync(at('draft'), 'the-new-words')
      renameSync(at('draft'), at(name))
      await client.box.exited
      await using next = await openBox(driver, boxed)
      expect(await next.bash(`cat ${name} 2>&1; echo evil > ${name} || true`)).not.toContain(
        'words',
      )
    }
    expect(readFileSync(at('countersign.toml'), 'utf8')).toBe('the-new-words')
    expect(readFileSync(at('filters.toml'), 'utf8')).toBe('the-new-words')
  },
)
