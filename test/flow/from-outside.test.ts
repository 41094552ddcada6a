import { PassThrough } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { type CreateModel, modelProviders } from '../../src/adapters/model/create-model.ts'
import { openModels } from '../../src/app/open-models.ts'
import { receiveUntilEnd } from '../../src/app/processes/receive-until-end.ts'
import { Environment } from '../../src/config/env.ts'
import { loadConfig } from '../../src/config/load.ts'
import type { ProviderName } from '../../src/config/schema/schema-model.ts'
import { savePairedRole } from '../../src/db/people/callers.ts'
import type { Card } from '../../src/domain/approval.ts'
import { CommandError } from '../../src/domain/command-error.ts'
import type { ChatService } from '../../src/gateway/chat-service.ts'
import { chatServices } from '../../src/gateway/chat-services.ts'
import { createTelegramWebhook } from '../../src/gateway/telegram-webhook.ts'
import type { ChatPlatform, Intake } from '../../src/ports/chat.ts'
import { allTools } from '../../src/rules/tools/registry.ts'
import type { ToolSpec } from '../../src/rules/tools/tool-spec.ts'
import { silentLog } from '../../src/util/log.ts'
import type { WorkerTool } from '../../src/worker/worker-tool.ts'
import { createFlow, type Flow, until } from '../support/flow.ts'

const shout: ToolSpec = {
  name: 'shout',
  description: 'Shouts a word across the yard and returns the echo.',
  kind: 'other',
  schema: z.strictObject({ word: z.string().min(1) }),
  idempotent: false,
  cacheable: false,
  mutating: true,
  needsNetwork: false,
  runsIn: 'worker',
  timeoutMs: 5_000,
  ruledBy: { kind: 'name', argument: 'word' },
  risk: 'high',
}
const echo: WorkerTool = async ({ word }) => ({ kind: 'ok', output: String(word).toUpperCase() })

const usage = { inputTokens: 1, outputTokens: 1, cacheReadTokens: 0, cacheWriteTokens: 0 }

/** Asks for a shout, and then says what came back. */
const parrot: CreateModel = async ({ provider, name }) => ({
  provider,
  name,
  nativeTools: true,
  answer: async ({ messages, tools }) => {
    const last = messages.at(-1)
    if (last?.role === 'tool') return { text: `It came back: ${last.text}`, calls: [], usage }
    const isThere = tools.some((tool) => tool.name === shout.name)
    const call = { id: 'one', tool: shout.name, arguments: '{"word":"hello"}' }
    return { text: '', calls: isThere ? [call] : [], usage }
  },
})

/** A platform that keeps what it is given, and a person who writes on it. */
function createPigeons() {
  const cards: Card[] = []
  const answers: string[] = []
  const taps: { readonly token: string; readonly messageId: string }[] = []
  let intake: Intake | undefined
  const platform: ChatPlatform = {
    name: 'pigeon',
    deliver: async (_place, message, context) => {
      const messageId = `${cards.length}-${answers.length}`
      if (message.kind === 'card') {
        const { approve } = await context.mintTokens(message.card.approvalId, ['approve'])
        taps.push({ token: approve, messageId })
      }
      if (message.kind === 'card' || message.kind === 'card_update') cards.push(message.card)
      if (message.kind === 'answer') answers.push(message.markdown)
      return { kind: 'sent', messageId }
    },
    live: () => undefined,
  }
  const service: ChatService = {
    name: 'pigeon',
    title: 'Pigeons',
    isConfigured: () => true,
    serve: async ({ gateway, printLine }) => {
      intake = (await gateway.serve(platform)).intake
      printLine('the loft is open.')
      return { received: new Promise(() => undefined), [Symbol.asyncDispose]: async () => {} }
    },
    refusals: [],
  }
  let updates = 0
  const act: (act: Parameters<Intake['take']>[0]['act']) => Promise<void> = async (act) => {
    updates += 1
    await intake?.take({
      platform: 'pigeon',
      externalId: String(updates),
      place: 'loft',
      isPrivate: true,
      from: { id: 'pigeon:percy', name: 'Percy', privatePlace: 'loft' },
      act,
    })
  }
  return { service, cards, answers, taps, act, isOpen: () => intake !== undefined }
}

function serve(
  { config, product: gateway }: Flow,
  services: readonly ChatService[],
  { output = new PassThrough(), signal = new AbortController().signal } = {},
): Promise<void> {
  const environment = new Environment({})
  const telegramWebhook = createTelegramWebhook()
  return receiveUntilEnd({
    ...{ config, environment, log: silentLog, output, signal, gateway, telegramWebhook, services },
  })
}

class TokenRefused extends Error {
  override readonly name = 'TokenRefused'
}

async function openParrot() {
  const loaded = loadConfig({ cwd: '/', environment: new Environment({ HOME: '/nowhere' }) })
  if (loaded.kind === 'invalid') throw new Error('the defaults are wrong')
  const { config } = loaded
  const model = { ...config.model, provider: 'parrot' as ProviderName, name: 'polly' }
  return openModels({ ...config, model }, new Map([...modelProviders, ['parrot', parrot]]))
}

test('REG-01 MODEL-01 CHAT-01 a tool, a model provider and a chat platform from outside carry a turn with a card', async () => {
  const { model } = await openParrot()
  const tools = [...allTools, shout]
  await using flow = await createFlow({ model, tools, workerTools: new Map([['shout', echo]]) })
  const pigeons = createPigeons()
  await savePairedRole(flow.db, { id: 'pigeon:percy', name: 'Percy' }, 'user')
  const ending = new AbortController()
  const output = new PassThrough().setEncoding('utf8')
  const services = [...chatServices, pigeons.service]
  const served = serve(flow, services, { output, signal: ending.signal })
  await until('the platform is served', pigeons.isOpen)
  await pigeons.act({ kind: 'message', text: 'Shout hello.' })
  await until('a card', () => pigeons.taps.length > 0)
  const [card] = pigeons.cards
  expect(card).toMatchObject({ tool: 'shout', what: 'shout\nword: hello', risk: 'high' })
  expect(card?.alwaysPatterns).toEqual(['hello'])
  const [tap] = pigeons.taps
  if (tap === undefined) throw new Error('no button')
  await pigeons.act({ kind: 'tap', ...tap })
  await until('an answer', () => pigeons.answers.length > 0)
  expect(pigeons.answers).toEqual(['It came back: HELLO'])
  await until('the card tells the end', () => pigeons.cards.at(-1)?.status.kind === 'finished')
  expect(pigeons.cards.at(-1)?.status).toMatchObject({ by: 'Percy', isSuccess: true })
  const used = await flow.db.selectFrom('usage').select(['provider', 'model']).execute()
  expect(used[0]).toEqual({ provider: 'parrot', model: 'polly' })
  ending.abort()
  await served
  expect(output.read()).toContain('Pigeons: the loft is open.')
})

test('CLI-01 a token refused while another platform still connects ends the process with words', async () => {
  await using flow = await createFlow({ model: (await openParrot()).model })
  const unheard: unknown[] = []
  const listen = (reason: unknown): void => void unheard.push(reason)
  process.on('unhandledRejection', listen)
  using _listener = { [Symbol.dispose]: () => process.off('unhandledRejection', listen) }
  const pigeons = createPigeons()
  const refused: ChatService = {
    ...pigeons.service,
    serve: async () => ({
      received: Promise.reject(new TokenRefused('check PIGEON_TOKEN')),
      [Symbol.asyncDispose]: async () => {},
    }),
    refusals: ['TokenRefused'],
  }
  const slow: ChatService = {
    ...pigeons.service,
    serve: async (options) => await sleep(50).then(() => pigeons.service.serve(options)),
  }
  const served = serve(flow, [refused, slow])
  await expect(served).rejects.toThrow(
    new CommandError('check PIGEON_TOKEN', { code: 'PLATFORM_REFUSED' }),
  )
  expect(unheard).toEqual([])
})
