import { isRecord } from './params.ts'

/** Who a message tells of itself by name. */
export interface Notified {
  /** User ids. */
  readonly users: readonly string[]
  /** `here`, `channel`, `everyone` */
  readonly broadcasts: readonly string[]
  /** User group ids. */
  readonly groups: readonly string[]
}

export const nobody: Notified = { users: [], broadcasts: [], groups: [] }

export interface Written {
  readonly text: string
  readonly blocks: readonly unknown[]
  readonly attachments?: readonly unknown[]
  /** Whether bare names (`@channel`) in the text count: `parse` or `link_names` ask for it, chat.update does by itself. */
  readonly bareNames: boolean
}

/**
 * Everything that may notify somebody. Where the documentation leaves it open, it notifies: in the fallback text beside
 * blocks, in code, in bare `@channel` of mrkdwn that is not `verbatim` and of markdown.
 * https://docs.slack.dev/messaging/formatting-message-text
 */
export function notifiedBy(written: Written): Notified {
  const found = {
    users: new Set<string>(),
    broadcasts: new Set<string>(),
    groups: new Set<string>(),
  }
  readMarkup(written.text, written.bareNames, found)
  readStructure(written.blocks, found)
  readStructure(written.attachments ?? [], found)
  return {
    users: [...found.users],
    broadcasts: [...found.broadcasts],
    groups: [...found.groups],
  }
}

interface Found {
  readonly users: Set<string>
  readonly broadcasts: Set<string>
  readonly groups: Set<string>
}

function readMarkup(text: string, bareNames: boolean, found: Found): void {
  for (const [, user] of text.matchAll(/<@([UW][A-Z0-9]+)(?:\|[^<>]*)?>/g))
    found.users.add(String(user))
  for (const [, range] of text.matchAll(/<!(here|channel|everyone|group)(?:\|[^<>]*)?>/g)) {
    found.broadcasts.add(String(range))
  }
  for (const [, group] of text.matchAll(/<!subteam\^([A-Z0-9]+)(?:\|[^<>]*)?>/g)) {
    found.groups.add(String(group))
  }
  if (!bareNames) return
  for (const [, range] of text.matchAll(/(?<![\w@])@(here|channel|everyone)\b/g)) {
    found.broadcasts.add(String(range))
  }
}

function readStructure(value: unknown, found: Found): void {
  if (Array.isArray(value)) {
    for (const each of value) readStructure(each, found)
    return
  }
  if (!isRecord(value)) return
  switch (value['type']) {
    // Literal, whatever stands in them.
    case 'text':
    case 'plain_text':
    case 'raw_text':
    case 'raw_number':
    case 'button':
      return
    case 'user':
      found.users.add(String(value['user_id']))
      return
    case 'usergroup':
      found.groups.add(String(value['usergroup_id']))
      return
    case 'broadcast':
      found.broadcasts.add(String(value['range']))
      return
    case 'mrkdwn':
      readMarkup(String(value['text']), value['verbatim'] !== true, found)
      return
    // A plan's and a task's titles are plain text, and what a chunk says of a task is drawn by Slack: it notifies here.
    case 'plan':
    case 'task_card':
      readMarkup(String(value['title'] ?? ''), true, found)
      readFields(value, found)
      return
    case 'markdown':
    case 'markdown_text':
      readMarkup(String(value['text']), true, found)
      return
    default:
      readFields(value, found)
  }
}

function readFields(value: Record<string, unknown>, found: Found): void {
  for (const field of Object.values(value)) {
    if (typeof field === 'string') readMarkup(field, false, found)
    else readStructure(field, found)
  }
}
