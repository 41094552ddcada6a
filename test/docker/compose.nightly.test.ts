import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import type { User } from 'grammy/types'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { inCi } from '../support/run/in-ci.ts'
import type { ChatHandle } from '../support/telegram/chat-handle.ts'
import type { SeenMessage } from '../support/telegram/seen.ts'
import { createTelegram, type TelegramStandIn } from '../support/telegram/telegram.ts'
import { type BoxesPlace, createBoxesPlace } from './boxes-place.ts'
import { dockerFailure, dockerProgram, type Engine, startEngine } from './engine.ts'
import { openFarMachine } from './far-machine.ts'
import { buildImages, images } from './images.ts'
import { openDoor } from './open-door.ts'
import { createStack, type Stack, services } from './stack.ts'

const failure = dockerFailure(['docker-compose', 'ip', 'nsenter', 'unshare'])
const patience = { timeoutMs: 150_000 }
const hardened = [
  '--read-only',
  '--tmpfs=/tmp',
  '--cap-drop=ALL',
  '--security-opt=no-new-privileges',
]
const ada: User = { id: 41, is_bot: false, first_name: 'Ada', username: 'ada' }

if (failure !== undefined && inCi())
  throw new Error(`the tests with containers cannot run: ${failure}`)

describe.skipIf(failure !== undefined)(`docker compose (${failure ?? 'with an engine'})`, () => {
  const resources = new AsyncDisposableStack()
  let unavailable: string | undefined
  let engine: Engine
  let telegram: TelegramStandIn
  let chat: ChatHandle
  let stack: Stack
  let boxes: BoxesPlace
  let killed: readonly string[] = []

  beforeAll(async () => {
    const started = await startEngine().catch((error: unknown) => {
      if (inCi()) throw error
      unavailable = String(error)
    })
    if (started === undefined) return
    engine = resources.use(started)
    telegram = resources.use(await createTelegram())
    chat = telegram.privateChat(telegram.addUser(ada))
    const door = resources.use(await openDoor(telegram.url))
    boxes = resources.use(await createBoxesPlace(engine))
    await buildImages(engine)
    stack = resources.use(
      await createStack(engine, {
        TELEGRAM_BOT_TOKEN: telegram.token,
        TELEGRAM_API_ROOT: `http://host.docker.internal:${door.port}`,
        COUNTERSIGN_TELEGRAM_ALLOWED_USERS: String(ada.id),
      }),
    )
    await up('worker=3', 'agent=2', 'gateway=2')
  }, 1_500_000)
  beforeEach(({ skip }) => skip(unavailable !== undefined, unavailable))
  afterAll(() => resources.disposeAsync(), 120_000)

  async function up(...scales: readonly string[]): Promise<void> {
    const scaled = scales.flatMap((scale) => ['--scale', scale])
    await stack.compose('up', '--detach', '--no-build', ...scaled)
    await stack.untilHealthy()
  }

  /** Asks for a command, approves it, and waits for the answer that holds the words. */
  async function answerTo(command: string, words: string): Promise<string> {
    const before = chat.messages().at(-1)?.id ?? 0
    await begin(command)
    const { text } = await chat.waitForMessage(
      (message) => message.id > before && isAnswer(message) && message.text.includes(words),
      { ...patience, what: `an answer with "${words}"` },
    )
    return text
  }

  /** Asks for a command, and approves it. */
  async function begin(command: string): Promise<void> {
    chat.send(ada, `run ${command}`)
    const card = await chat.waitForMessage(
      ({ text, buttons }) => text.includes(command) && buttons.length > 0,
      { ...patience, what: `a card for ${command}` },
    )
    chat.tap(ada, card.id, 'Approve')
  }

  test('PROC-04 every service runs under a user of its own without a right, over a root that cannot be written', async () => {
    await Promise.all(
      services.map(async (service) => {
        const expected = { postgres: 1, redis: 1, gateway: 2, agent: 2, worker: 3 }[service]
        const ids = await stack.containers(service)
        expect(ids, service).toHaveLength(expected)
        await Promise.all(ids.map((id) => expectConfined(service, id)))
      }),
    )
  })

  test('PROC-04 PROC-01 BOX-05 a worker holds no secret of the others, and cannot reach the database', async () => {
    const [worker = ''] = await stack.containers('worker')
    const environ = await stack.inside(worker, 'cat', '/proc/1/environ')
    expect(environ).not.toMatch(/DATABASE_URL|TELEGRAM|ANTHROPIC|OPENAI|SIGNING|redis:|postgres/)
    const files = await stack.inside(worker, 'find', '/keys', '/config', '-type', 'f')
    expect(files.trim().split('\n').sort()).toEqual([
      '/config/countersign.toml',
      '/keys/redis/password',
      '/keys/redis/url',
      '/keys/worker/verify-keys.pem',
      '/keys/worker/worker-token',
    ])
    expect(await connect(worker, 'redis', 6379)).toBe('open')
    const [agent = ''] = await stack.containers('agent')
    const others = [
      { service: 'postgres', port: 5432 },
      { service: 'gateway', port: 8420 },
      { service: 'agent', port: 8420 },
    ]
    const places = await Promise.all(
      others.map(async ({ service, port }) =>
        (await stack.addresses(service)).map((address) => ({ address, port })),
      ),
    )
    expect(places.flat()).toHaveLength(9)
    await Promise.all(
      places.flat().map(async ({ address, port }) => {
        expect(await connect(agent, address, port)).toBe('open')
        await expect(connect(worker, address, port, 5), `${address}:${port}`).rejects.toThrow()
      }),
    )
  })

  test('PROC-04 what the engine tells of a container names no password and no key', async () => {
    const [agent = ''] = await stack.containers('agent')
    const read = (file: string) => stack.inside(agent, 'cat', file).then((it) => it.trim())
    const secrets = await Promise.all(
      ['redis/password', 'agent/enrolment-secret', 'worker/worker-token'].map((name) =>
        read(`/keys/${name}`),
      ),
    )
    secrets.push(await ownerPassword(), new URL(await read('/keys/app/url')).password)
    for (const secret of secrets) expect(secret).toMatch(/^[0-9a-f]{64}$/)
    const ids = await Promise.all([...services, 'keys', 'migrate'].map(stack.containers))
    const told = await engine.docker(['inspect', ...ids.flat(), images.service])
    for (const secret of secrets) expect(told).not.toContain(secret)
    expect(told).not.toContain('PRIVATE KEY')
  })

  test('PROC-04 PROC-01 AUD-05 a message becomes a card, a tap runs the command once in a worker, its answer arrives, and the audit has it', async () => {
    expect(await answerTo('echo ran >> count; wc -l count', 'count:')).toContain('1 count')
    const [agent = ''] = await stack.containers('agent')
    const audit = await stack.inside(agent, 'countersign', 'audit')
    expect(audit).toMatch(/telegram:41 +bash +ask +success +0 .*telegram:41 .*echo ran/)
  })

  test('PROC-04 BOX-05 THREAT-9 a command sees nothing of its worker, and reaches no queue', async () => {
    const look = [
      'ls / | tr "\\n" " "',
      'cat /proc/[0-9]*/environ 2>/dev/null | tr "\\0" "\\n" | grep -c -e KEYS -e REDIS',
      '(exec 3<>/dev/tcp/redis/6379) 2>/dev/null || echo no queue',
      'grep CapEff /proc/self/status',
      'echo seen',
    ]
    const seen = await answerTo(look.join('; '), 'seen')
    expect(seen).toMatch(/bin dev etc lib (lib64 )?opt proc sbin tmp usr workspace 0\nno queue\n/)
    expect(seen).toMatch(/CapEff:\s+0{16}\nseen/)
    const [worker = ''] = await stack.containers('worker')
    await expect(stack.inside(worker, 'ls', '/var/lib/sealed/proc')).rejects.toThrow(
      'Permission denied',
    )
  })

  test('PROC-04 REL-01 workers are killed: another takes the next command, over the same files', async () => {
    await answerTo('echo kept > file; echo written', 'written')
    killed = (await stack.containers('worker')).slice(1)
    for (const id of killed) await engine.docker(['kill', id])
    expect(await answerTo('cat file; echo read', 'read')).toContain('kept\nread')
  }, 900_000)

  test('PROC-03 PROC-04 stop lets a running command end, and what comes up again, with other keys and passwords, has kept everything', async () => {
    const [worker = ''] = (await stack.containers('worker')).filter((id) => !killed.includes(id))
    await begin('touch begun; sleep 4; echo slept >> slept; wc -l slept')
    await expect
      .poll(() => filesOf(worker, 'ls'), { timeout: patience.timeoutMs })
      .toContain('begun')
    await stack.compose('stop')
    for (const service of ['gateway', 'agent', 'worker']) {
      for (const id of await stack.containers(service)) {
        const { Status, ExitCode } = (await stack.inspect(id)).State
        expect({ service, Status, ExitCode }).toEqual({
          service,
          Status: 'exited',
          ExitCode: killed.includes(id) ? 137 : 0,
        })
      }
    }
    const files = ['run', '--rm', '--volumes-from', worker, '--entrypoint', 'sh', images.service]
    expect(await engine.docker([...files, '-c', 'cat /data/workspaces/*/slept'])).toBe('slept\n')
    const change = (secret: string) => stack.compose('run', '--rm', 'keys', secret)
    const changes = ['token', 'redis', 'app'].map(change)
    await Promise.all([change('next').then(() => change('use')), ...changes])
    await up('worker=3', 'agent=1', 'gateway=1')
    const { text } = await chat.waitForMessage(
      (message) => isAnswer(message) && message.text.includes('1 slept'),
      patience,
    )
    expect(text).toContain('slept')
    expect(await answerTo('cat slept file count', 'kept')).toContain('slept\nkept\nran')
    const [agent = ''] = await stack.containers('agent')
    const keys = await stack.inside(agent, 'cat', '/keys/worker/verify-keys.pem')
    expect(keys.match(/BEGIN PUBLIC KEY/g)).toHaveLength(2)
    expect(await stack.inside(agent, 'countersign', 'audit')).toContain('echo ran')
    expect(await stack.inside(agent, 'countersign', 'audit', 'verify')).toMatch(/^ok: /)
  }, 900_000)

  test('PROC-04 AUD-02 gateways and agents reach the database as a role that cannot change the audit; its owner drops old months', async () => {
    await Promise.all(['gateway', 'agent'].map(expectNoOwner))
    const [agent = ''] = await stack.containers('agent')
    await expect(
      stack.inside(agent, 'countersign', 'audit', 'prune', '--days', '9'),
    ).rejects.toThrow('may not drop')
    const pruned = await stack.compose('run', '--rm', 'prune', 'audit', 'prune', '--days', '9')
    expect(pruned).toContain('nothing')
  })

  test('PROC-04 STORE-03 backup and restore, as docs/how-to/back-up-and-upgrade.md says, bring a new machine rows, keys and workspaces, and replace them with --force', async () => {
    await answerTo('echo before > saved; echo done', 'done')
    chat.send(ada, 'run cat saved; echo later')
    const { id, text: question } = await chat.waitForMessage(
      ({ text, buttons }) => text.includes('echo later') && buttons.length > 0,
      { ...patience, what: 'a question that waits' },
    )
    await stack.composeWith('>', 'backup.tar.gz', 'run', '--rm', '-T', 'backup')
    await stack.compose('down', '--volumes')
    await stack.composeWith('<', 'backup.tar.gz', 'run', '--rm', '-T', 'restore')
    await up('worker=3', 'agent=1', 'gateway=1')
    chat.tap(ada, id, 'Approve')
    const { text } = await chat.waitForMessage(
      (message) => message.id > id && isAnswer(message) && message.text.includes('later'),
      { ...patience, what: 'the answer of before' },
    )
    expect(text).toContain('before\nlater')
    await expectVerified()
    await answerTo('echo after > saved; echo changed', 'changed')
    await stack.compose('stop', 'gateway', 'agent', 'worker')
    const refused = stack.composeWith('<', 'backup.tar.gz', 'run', '--rm', '-T', 'restore')
    await expect(refused).rejects.toThrow(/holds data already/)
    const again = ['run', '--rm', '-T', 'restore', 'restore', '--force', '-']
    await stack.composeWith('<', 'backup.tar.gz', ...again)
    await up('worker=3', 'agent=1', 'gateway=1')
    // What was answered after the backup asks again; the journal knows the call and its result.
    const last = chat.messages().at(-1)?.id ?? 0
    chat.send(ada, `/approve ${/Approval (\d+)/.exec(question)?.[1]}`)
    await chat.waitForMessage(
      (message) => message.id > last && isAnswer(message) && message.text.includes('later'),
      { ...patience, what: 'the answer once more' },
    )
    expect(await answerTo('cat saved; echo end', 'end')).toContain('before\nend')
    await expectVerified()
  }, 900_000)

  async function expectVerified(): Promise<void> {
    const [agent = ''] = await stack.containers('agent')
    expect(await stack.inside(agent, 'countersign', 'audit', 'verify')).toMatch(/^ok: /)
  }

  test('PROC-04 WEB-02 a worker has no way out, and by compose.web.yml one of its own; with COUNTERSIGN_BOXES=docker and fewer rights it runs commands in containers of the engine', async () => {
    await using far = await openFarMachine()
    const [gateway = ''] = await stack.containers('gateway')
    expect(await connect(gateway, far.address, far.port)).toBe('open')
    const [jailer = ''] = await stack.containers('worker')
    await expect(connect(jailer, far.address, far.port, 2)).rejects.toThrow()

    const files = 'docker-compose.yml:docker/compose.web.yml'
    await stack.set({ ...boxes.settings, COMPOSE_FILE: files })
    const swap = ['up', '--detach', '--no-build', '--no-deps', '--scale', 'worker=1', 'worker']
    await stack.compose(...swap)
    await stack.untilHealthy()
    const [worker = '', ...more] = await stack.containers('worker')
    expect(more).toEqual([])
    expect(await connect(worker, far.address, far.port)).toBe('open')
    expect(await stack.inNetwork('web')).toEqual([worker])
    await expectConfined('worker', worker)
    const { HostConfig, Mounts } = await stack.inspect(worker)
    expect(HostConfig).toMatchObject({ SecurityOpt: ['no-new-privileges:true'] })
    const places = ['/config', '/keys/redis', '/keys/worker', '/run/docker.sock', boxes.directory]
    expect(Mounts.map(({ Destination }) => Destination).sort()).toEqual(places)
    await expect(stack.inside(gateway, 'docker', '--version')).rejects.toThrow('not found')

    await answerTo('echo boxed > made; cat made', 'boxed')
    expect(await boxes.read('made')).toBe('boxed\n')
    const running = await engine.docker(['ps', '--quiet', '--filter', 'label=countersign.box'])
    const box = await stack.inspect(running.trim())
    expect(box.Config).toMatchObject({ Image: images.box, User: '10001:10001' })
    expect(box.HostConfig).toMatchObject({ NetworkMode: 'none', CapDrop: ['ALL'] })
    expect(await stack.inside(running.trim(), 'cat', 'made')).toBe('boxed\n')
  })

  test('PROC-04 what the images add to their base stays bounded, in megabytes', async () => {
    const sizeOf = async (image: string) =>
      Number(await engine.docker(['image', 'inspect', '--format', '{{.Size}}', image])) / 1e6
    const base = await sizeOf(images.base)
    // Node alone is 120 MB of each; a box has it twice, as nobody may read the executor's own.
    expect((await sizeOf(images.service)) - base).toBeLessThan(220)
    expect((await sizeOf(images.box)) - base).toBeLessThan(265)
    // PostgreSQL alone is 57 MB of it.
    expect((await sizeOf(images.all)) - base).toBeLessThan(280)
    for (const small of [images.gateway, images.agent])
      expect(await sizeOf(small)).toBeLessThan(150)
  })

  test('SHIP-03 gateway and agent need no more than their small images: no root, no shell, nothing to write to', async () => {
    for (const role of ['gateway', 'agent'] as const) {
      const [large = ''] = await stack.containers(role)
      const { Config, NetworkSettings } = await stack.inspect(large)
      const [network = ''] = Object.keys(NetworkSettings.Networks).filter((name) =>
        name.endsWith('_core'),
      )
      const set = Config.Env.filter((line) => !line.startsWith('PATH='))
      const id = await engine.docker([
        ...['run', '--detach', '--network', network, '--volumes-from', `${large}:ro`],
        ...[...hardened, '--tmpfs=/data:uid=10001,gid=10001,mode=0700', '--workdir=/config'],
        ...set.flatMap((line) => ['--env', line]),
        images[role],
      ])
      await expect
        .poll(async () => (await stack.inspect(id.trim())).State.Health?.Status, {
          timeout: patience.timeoutMs,
        })
        .toBe('healthy')
      await expect(stack.inside(id.trim(), 'sh', '-c', 'true')).rejects.toThrow(/not found|no such/)
      expect(await stack.inside(id.trim(), 'countersign', '--version')).toMatch(/^\d+\.\d+/)
      await engine.docker(['stop', '--time=40', id.trim()])
      expect((await stack.inspect(id.trim())).State.ExitCode).toBe(0)
      await engine.docker(['rm', id.trim()])
    }
    const labels = await engine.docker(['inspect', '--format', '{{json .Config}}', images.agent])
    expect(JSON.parse(labels)).toMatchObject({
      User: '10001:10001',
      Labels: { 'org.opencontainers.image.licenses': 'Apache-2.0' },
      Healthcheck: { Test: expect.arrayContaining(['CMD']) },
    })
  })

  test('SHIP-03 the image of everything does the main job alone: without network, rights or a root that can be written', async () => {
    const lines = 'write hello to notes/a.txt\nrun wc -c notes/a.txt\n/approve\n'
    const alone = ['run', '--rm', '-i', '--network=none', ...hardened, images.all]
    const said = await engine.docker(alone, lines)
    expect(said).toMatch(/countersign's agent wants to run a command/)
    expect(said).toMatch(/1 · .*: ✅ Approved by countersign/)
    expect(said).toContain('5 notes/a.txt')
    const id = (
      await engine.docker(['run', '-dit', '--network=none', ...hardened, images.all])
    ).trim()
    await expect
      .poll(async () => (await stack.inspect(id)).State.Health?.Status, {
        timeout: patience.timeoutMs,
      })
      .toBe('healthy')
    await engine.docker(['stop', '--time=40', id])
    expect((await stack.inspect(id)).State.ExitCode).toBe(0)
    await engine.docker(['rm', '--volumes', id])
  })

  test('PROC-04 BOX-02 the image of boxes speaks as the executor does, with every right taken away', async () => {
    const hard = ['--rm', '-i', '--network=none', ...hardened]
    const box = spawn(dockerProgram, ['run', ...hard, images.box], {
      env: engine.environment,
      stdio: ['pipe', 'pipe', 'inherit'],
    })
    box.stdin.end(`${JSON.stringify({ type: 'call', id: 'a', tool: 'nothing' })}\n`)
    const said = await text(box.stdout)
    if (box.exitCode === null) await once(box, 'exit')
    expect(said).toMatch(/^\{"type":"ready"/)
    expect(said).toContain('"id":"a"')
    const found = await engine.docker([
      'run',
      '--rm',
      '--entrypoint',
      'sh',
      images.box,
      '-c',
      'id -u; rg --version',
    ])
    expect(found).toMatch(/^1000\nripgrep/)
  })

  async function expectConfined(service: string, id: string): Promise<void> {
    const { Config, HostConfig } = await stack.inspect(id)
    expect(Config.User, service).toMatch(/^(?!root|0)/)
    expect(HostConfig).toMatchObject({ ReadonlyRootfs: true })
    expect(HostConfig.Memory).toBeGreaterThan(0)
    const status = await stack.inside(id, 'cat', '/proc/1/status')
    expect(status).toMatch(/^Uid:\t(?!0\t)(\d+)\t\1\t\1\t\1$/m)
    for (const kind of ['Inh', 'Prm', 'Eff', 'Bnd', 'Amb']) {
      expect(status).toMatch(new RegExp(`^Cap${kind}:\t0{16}$`, 'm'))
    }
    expect(status).toMatch(/^NoNewPrivs:\t1$/m)
    expect(status).toMatch(/^Seccomp:\t2$/m)
    await expect(stack.inside(id, 'touch', '/usr/x')).rejects.toThrow('Read-only file system')
  }

  async function expectNoOwner(service: string): Promise<void> {
    const [id = ''] = await stack.containers(service)
    await expect(stack.inside(id, 'ls', '/keys/postgres/url')).rejects.toThrow('No such file')
    expect(await stack.inside(id, 'cat', '/keys/app/url')).toMatch(/^postgres:\/\/countersign_app:/)
    const said = await stack
      .inside(id, 'countersign', 'doctor', '--for', service)
      .catch((error: unknown) => String(error))
    expect(said).toMatch(/ok +audit: the role of the product cannot change it/)
  }

  async function ownerPassword(): Promise<string> {
    const [postgres = ''] = await stack.containers('postgres')
    return (await stack.inside(postgres, 'cat', '/keys/password')).trim()
  }

  /** What a command prints that a worker's container runs in the workspace. */
  function filesOf(worker: string, command: string): Promise<string> {
    return stack.inside(worker, 'sh', '-c', `cd /data/workspaces/* && ${command}`)
  }

  function connect(container: string, host: string, port: number, seconds = 60): Promise<string> {
    const line = `exec 3<>/dev/tcp/${host}/${port} && printf open`
    return stack.inside(container, 'timeout', String(seconds), 'bash', '-c', line)
  }
})

/** Not the card, nor what is shown while a command runs. */
function isAnswer({ from, text }: SeenMessage): boolean {
  return from.kind === 'bot' && !/^❯|^⏳/.test(text)
}
