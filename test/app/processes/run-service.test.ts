import { once } from 'node:events'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import { runService } from '../../../src/app/processes/run-service.ts'
import { Environment } from '../../../src/config/env.ts'
import { loadConfig } from '../../../src/config/load.ts'
import { formatProblems } from '../../../src/config/problems.ts'
import { CommandError } from '../../../src/domain/command-error.ts'
import { silentLog } from '../../../src/util/log.ts'
import { createOddServer, oddToken } from '../../adapters/chat/telegram/incoming/odd-server.ts'
import { temporaryDirectory } from '../../db/embedded/fixtures/temporary-directory.ts'
import { createTestDatabase, type TestDatabase } from '../../support/database/database.ts'
import { until } from '../../support/flow.ts'
import { createTelegram, type TelegramStandIn } from '../../support/telegram/telegram.ts'

interface Service extends AsyncDisposable {
  /** Returns its output to the person who started it so far. */
  said(): string
  readonly ended: Promise<number>
}

interface Given {
  readonly url: string
  readonly token: string
  readonly database?: TestDatabase
  readonly settings?: Readonly<Record<string, string>>
}

async function start({ url, token, settings, ...given }: Given): Promise<Service> {
  const resources = new AsyncDisposableStack()
  const { path: dataDir } = resources.use(await temporaryDirectory())
  const database = given.database ?? resources.use(await createTestDatabase())
  const environment = new Environment({
    PATH: process.env['PATH'],
    HOME: dataDir,
    DATABASE_URL: database.url,
    COUNTERSIGN_DATA_DIR: dataDir,
    COUNTERSIGN_ENROLMENT_SECRET: 'an-enrolment-secret-for-tests-alone',
    TELEGRAM_BOT_TOKEN: token,
    TELEGRAM_API_ROOT: url,
    ...settings,
  })
  const loaded = loadConfig({ cwd: dataDir, environment })
  if (loaded.kind === 'invalid') throw new Error(formatProblems(loaded.problems))
  const ending = new AbortController()
  const output = new PassThrough()
  let said = ''
  output.setEncoding('utf8').on('data', (text: string) => {
    said += text
  })
  const ended = runService({
    config: loaded.config,
    environment,
    log: silentLog,
    output,
    signal: ending.signal,
  })
  ended.catch(() => undefined)
  resources.defer(async () => {
    ending.abort()
    await ended.catch(() => undefined)
  })
  return { said: () => said, ended, [Symbol.asyncDispose]: () => resources.disposeAsync() }
}

function telegramLines(service: Service): readonly string[] {
  return service
    .said()
    .split('\n')
    .filter((line) => line.startsWith('Telegram: '))
}

function readyLine({ bot }: TelegramStandIn, how = 'long polling'): string {
  return `Telegram: @${bot.username} is ready (${how}). Write to https://t.me/${bot.username}. Ctrl-C ends.`
}

async function takePort(): Promise<{ readonly server: Server; readonly listen: string }> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  return { server, listen: `127.0.0.1:${(server.address() as AddressInfo).port}` }
}

test('TG-01 CLI-01 trouble, standby and another program are reported once, and only a process that receives is ready', async () => {
  await using telegram = await createTelegram()
  await using database = await createTestDatabase()
  const held_until = new Date(Date.now() + 3_600_000)
  const lease = { name: 'poll telegram', owner: 'another', held_until }
  await database.db.insertInto('lease').values(lease).execute()
  const conflict = 'Conflict: terminated by other getUpdates request'
  telegram.failNext('getMe', { kind: 'drop-before' }, { kind: 'drop-before' })
  telegram.failNext('getUpdates', { kind: 'status', code: 409, description: conflict })
  await using service = await start({ url: telegram.url, token: telegram.token, database })
  const connecting = 'Telegram: connecting …'
  const trouble = 'Telegram: no answer yet (ECONNRESET); trying on.'
  const standby = 'Telegram: another Countersign receives messages; this one stands by.'
  await until('it stands by', () => service.said().includes(standby))
  expect(telegramLines(service)).toEqual([connecting, trouble, standby])
  expect(telegram.callsOf('getUpdates')).toEqual([])
  await database.db.deleteFrom('lease').execute()
  await until('the conflict is told', () => service.said().includes('another program'))
  expect(telegramLines(service)).toEqual([
    connecting,
    trouble,
    standby,
    readyLine(telegram),
    'Telegram: another program asks for updates with this token; messages go to only one of the two.',
  ])
  expect(service.said()).toContain('Run "npx countersign pair --role operator" in another terminal')
  expect(service.said()).not.toContain('/help')
  expect(service.said()).not.toContain(telegram.token)
})

test('TG-01 CLI-01 by webhook it is ready once the webhook is registered', async () => {
  await using telegram = await createTelegram()
  const { server, listen } = await takePort()
  await new Promise((resolve) => server.close(resolve))
  const settings = {
    COUNTERSIGN_HTTP_LISTEN: listen,
    COUNTERSIGN_TELEGRAM_WEBHOOK_URL: `http://${listen}/telegram/webhook`,
  }
  telegram.failNext('setWebhook', { kind: 'drop-before' })
  await using service = await start({ url: telegram.url, token: telegram.token, settings })
  await until('it is ready', () => service.said().includes('is ready'))
  expect(telegram.webhook()).toBeDefined()
  expect(telegramLines(service)).toEqual([
    'Telegram: connecting …',
    'Telegram: no answer yet (ECONNRESET); trying on.',
    readyLine(telegram, 'webhook'),
  ])
})

test('CLI-01 a used address, a refused token and a server that is no Bot API end it with a message', async () => {
  await using telegram = await createTelegram()
  await using odd = await createOddServer(() => ({}))
  const { server, listen } = await takePort()
  const settings = {
    COUNTERSIGN_HTTP_LISTEN: listen,
    COUNTERSIGN_TELEGRAM_WEBHOOK_URL: 'https://bot.example/telegram/webhook',
  }
  const other = '123456789:AAE-some_other_token-0123456789abcdef'
  const { url, token } = telegram
  const failing: readonly (readonly [Given, string])[] = [
    [{ url, token, settings }, `the address ${listen} of [http] listen is taken`],
    [{ url, token: other }, 'Telegram refused the bot token: check TELEGRAM_BOT_TOKEN'],
    [{ url: odd.url, token: oddToken }, 'what answers as Telegram does not name the bot'],
  ]
  try {
    for (const [given, words] of failing) {
      await using service = await start(given)
      const error = await service.ended.catch((reason: unknown) => reason)
      expect(error).toBeInstanceOf(CommandError)
      expect(String(error)).toContain(words)
      expect(service.said()).not.toContain('is ready')
    }
  } finally {
    server.close()
  }
})

test('SHIP-06 a platform is asked for messages while the sandbox is tried, and what came in then is answered', async () => {
  await using telegram = await createTelegram()
  await using database = await createTestDatabase()
  const user = telegram.addUser({ id: 4711, first_name: 'Ada' })
  const chat = telegram.privateChat(user)
  const allowed = { COUNTERSIGN_TELEGRAM_ALLOWED_USERS: '4711' }
  await using service = await start({
    url: telegram.url,
    token: telegram.token,
    database,
    settings: allowed,
  })
  chat.send(user, 'hello')
  await chat.waitForMessage(({ from }) => from.kind === 'bot', { timeoutMs: 30_000 })
  const said = service.said()
  expect(said.indexOf('connecting')).toBeGreaterThanOrEqual(0)
  expect(said.indexOf('Sandbox:')).toBeGreaterThan(said.indexOf('connecting'))
})
