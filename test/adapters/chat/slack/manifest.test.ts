import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { readEnvelope } from '../../../../src/adapters/chat/slack/incoming/read-envelope.ts'
import { event, reader } from './incoming/envelopes.ts'

/** The bot scope that a method of the Web API asks for; undefined: any token will do (https://docs.slack.dev/reference/methods). */
const scopeOfMethod: Readonly<Record<string, string | undefined>> = {
  'auth.test': undefined,
  'views.open': undefined,
  'chat.postMessage': 'chat:write',
  'chat.postEphemeral': 'chat:write',
  'chat.update': 'chat:write',
  'chat.delete': 'chat:write',
  'chat.startStream': 'chat:write',
  'chat.appendStream': 'chat:write',
  'chat.stopStream': 'chat:write',
  'agents.sessions.setStatus': 'chat:write',
  'assistant.threads.setStatus': 'chat:write',
  'assistant.threads.setSuggestedPrompts': 'assistant:write',
  'assistant.threads.setTitle': 'assistant:write',
  filesUploadV2: 'files:write',
  'files.info': 'files:read',
  'users.info': 'users:read',
}

/** The scope without which an event does not come (https://docs.slack.dev/reference/events). */
const scopeOfEvent: Readonly<Record<string, string>> = {
  agent_session_stopped: 'chat:write',
  app_mention: 'app_mentions:read',
  assistant_thread_started: 'assistant:write',
  'message.im': 'im:history',
}

const manifestSchema = z.object({
  features: z.object({ slash_commands: z.array(z.object({ command: z.string() })) }),
  oauth_config: z.object({ scopes: z.object({ bot: z.array(z.string()) }) }),
  settings: z.object({
    event_subscriptions: z.object({ bot_events: z.array(z.string()) }),
    interactivity: z.object({ is_enabled: z.literal(true) }),
    socket_mode_enabled: z.literal(true),
  }),
})

const source = join(import.meta.dirname, '../../../../src/adapters/chat/slack')

let manifest: z.infer<typeof manifestSchema>
let code = ''
beforeAll(async () => {
  const path = join(import.meta.dirname, '../../../../docs/reference/slack-manifest.json')
  manifest = manifestSchema.parse(JSON.parse(await readFile(path, 'utf8')))
  const files = (await readdir(source, { recursive: true })).filter((name) => name.endsWith('.ts'))
  const texts = await Promise.all(files.map((name) => readFile(join(source, name), 'utf8')))
  code = texts.join('\n')
})

/** Every method that is called on a client, also by way of `const { threads } = client.assistant`. */
function methodsCalled(): string[] {
  const direct = [...code.matchAll(/\bclient\.((?:\w+\.)*\w+)\(/g)].map(([, name = '']) => name)
  const sessions = [...code.matchAll(/(?<!\.)\bsessions\.(setStatus)\(/g)].map(
    ([, name]) => `agents.sessions.${name}`,
  )
  const threads = [...code.matchAll(/(?<!\.)\bthreads\.(set\w+)\(/g)].map(
    ([, name]) => `assistant.threads.${name}`,
  )
  return [...new Set([...direct, ...sessions, ...threads])].sort()
}

/** Every type of anything that a schema names. */
function typesNamed(): string[] {
  const schema = [...code.matchAll(/\btype: z\.(?:literal\('(\w+)'\)|enum\(\[([^\]]+)\]\))/g)]
  const named = schema.flatMap(([, one, many]) => one ?? many?.match(/\w+/g) ?? [])
  return [...new Set(named)]
}

function isHandled(type: string): boolean {
  const read = readEnvelope(event({ type }), reader)
  return read.kind !== 'ignored' || read.why !== 'an event of another kind'
}

describe('the manifest of the Slack app', () => {
  test('SLACK-04 the methods that are called are those listed here', () => {
    const ofReceiver = (name: string) => name !== 'on'
    expect(methodsCalled().filter(ofReceiver)).toEqual(Object.keys(scopeOfMethod).sort())
  })

  test('SLACK-04 its scopes are exactly those that methods, events and commands need', () => {
    const methods = methodsCalled().flatMap((name) => scopeOfMethod[name] ?? [])
    const events = manifest.settings.event_subscriptions.bot_events
    const needed = new Set([...methods, ...events.map((name) => scopeOfEvent[name]), 'commands'])
    expect(manifest.oauth_config.scopes.bot).toEqual([...needed].sort())
  })

  test('SLACK-04 its events are exactly those that are handled', () => {
    const asked = manifest.settings.event_subscriptions.bot_events
    const handled = typesNamed().filter(isHandled)
    expect(asked.map((name) => name.split('.', 1)[0])).toEqual(handled.sort())
    expect(asked).toEqual(Object.keys(scopeOfEvent))
    expect(manifest.features.slash_commands).toHaveLength(1)
  })
})
