import { Api } from 'grammy'
import { expect, test } from 'vitest'
import { registerCommands } from '../../../../src/adapters/chat/telegram/register-commands.ts'
import { createTelegram, type TelegramStandIn } from '../../../support/telegram/telegram.ts'
import { MemoryLog } from './incoming/memory-log.ts'

function given(telegram: TelegramStandIn) {
  const api = new Api(telegram.token, { apiRoot: telegram.url })
  return { api, log: new MemoryLog(), signal: new AbortController().signal }
}

test("CHAT-03 commands are registered, with summaries shortened to Telegram's limit", async () => {
  await using telegram = await createTelegram()
  const { api, log, signal } = given(telegram)
  const commands = [
    { name: 'clear', summary: 'A fresh transcript' },
    { name: 'stop', summary: `${'x'.repeat(255)}👍 and more` },
    { name: 'retry', summary: ' ' },
  ]
  await registerCommands(api, commands, { log, signal })
  expect(telegram.commands()).toEqual([
    { command: 'clear', description: 'A fresh transcript' },
    { command: 'stop', description: 'x'.repeat(255) },
    { command: 'retry', description: 'retry' },
  ])
  expect(log.lines).toEqual([])
})

test.each([
  { kind: 'status', code: 404, description: 'Not Found' },
  { kind: 'drop-before' },
] as const)('CHAT-03 a failure ($kind $code) is only logged', async (fault) => {
  await using telegram = await createTelegram()
  telegram.failNext('setMyCommands', fault)
  const { api, log, signal } = given(telegram)
  await registerCommands(api, [{ name: 'stop', summary: 'Stops' }], { log, signal })
  expect(log.having('failed to register')).toHaveLength(1)
  expect(log.lines.join()).not.toContain(telegram.token.split(':')[1])
})

test('CHAT-03 an invalid name is refused before anything is sent', async () => {
  await using telegram = await createTelegram()
  const { api, log, signal } = given(telegram)
  for (const name of ['', 'Stop', '/stop', 'stop it', 'x'.repeat(33), 'stöp']) {
    const registered = registerCommands(api, [{ name, summary: 'Stops' }], { log, signal })
    await expect(registered).rejects.toThrow('not a name of a command')
  }
  expect(telegram.calls).toEqual([])
})

test('CHAT-03 registering ends with the signal', async () => {
  await using telegram = await createTelegram()
  telegram.failNext('setMyCommands', { kind: 'hang' })
  const { api, log } = given(telegram)
  const ending = new AbortController()
  const registered = registerCommands(api, [], { log, signal: ending.signal })
  await telegram.waitFor(() => telegram.callsOf('setMyCommands').length === 1)
  ending.abort()
  await registered
  expect(log.lines).toEqual([])
})
