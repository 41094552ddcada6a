import type { BotCommand } from 'grammy/types'
import { badRequest } from '../limits/refusal.ts'
import { isRecord, type Params } from '../params.ts'
import type { Call } from './method.ts'

export function setMyCommands({ bot, params, world }: Call): true {
  const value = params.json('commands', 'commands') ?? []
  if (!Array.isArray(value)) throw badRequest('expected an Array of BotCommand')
  const commands = value.map(readCommand)
  if (commands.length > 100) throw badRequest('BOT_COMMANDS_TOO_MUCH')
  bot.commands.set(scopeOf(params), commands)
  world.changed()
  return true
}

export function getMyCommands({ bot, params }: Call): readonly BotCommand[] {
  return bot.commands.get(scopeOf(params)) ?? []
}

function readCommand(value: unknown): BotCommand {
  const bad = (why: string) => badRequest(`can't parse BotCommand: ${why}`)
  if (!isRecord(value)) throw bad('expected an Object')
  const command = commandField(value, 'command', bad).trim().replace(/^\//, '')
  const description = commandField(value, 'description', bad).trim()
  if (command === '') throw badRequest('command must be non-empty')
  if ([...command].length > 32) throw badRequest('command length must not exceed 32')
  if (description === '') throw badRequest('command description must be non-empty')
  if ([...description].length > 256) {
    throw badRequest('command description length must not exceed 256')
  }
  if (!/^[a-z0-9_]+$/.test(command)) throw badRequest('BOT_COMMAND_INVALID')
  return { command, description }
}

function commandField(
  value: Record<string, unknown>,
  name: string,
  bad: (why: string) => Error,
): string {
  const field = value[name]
  if (field === undefined) throw bad(`Can't find field "${name}"`)
  if (typeof field !== 'string') throw bad(`Field "${name}" must be of type String`)
  return field
}

const scopes = new Set([
  'default',
  'all_private_chats',
  'all_group_chats',
  'all_chat_administrators',
  'chat',
  'chat_administrators',
  'chat_member',
])

function scopeOf(params: Params): string {
  const scope = params.json('scope', 'BotCommandScope') ?? { type: 'default' }
  const bad = (why: string) => badRequest(`can't parse BotCommandScope: ${why}`)
  if (!isRecord(scope)) throw bad('BotCommandScope must be an Object')
  if (typeof scope['type'] !== 'string') throw bad('Can\'t find field "type"')
  if (!scopes.has(scope['type'])) throw bad('Unsupported type specified')
  const language = params.text('language_code') ?? ''
  if (!/^([a-z]{2})?$/.test(language)) throw badRequest('invalid language code specified')
  const place = [scope['type'], scope['chat_id'], scope['user_id']].filter(
    (part) => part !== undefined,
  )
  return `${place.join('/')}:${language}`
}
