import type { SlackIdentity } from '../../../../../src/adapters/chat/slack/connect.ts'
import type { Reader } from '../../../../../src/adapters/chat/slack/incoming/read-envelope.ts'
import type { Person } from '../../../../../src/ports/chat.ts'

/* What Slack hands over, as it sends it. */

export const me: SlackIdentity = {
  teamId: 'T0TEAM0001',
  team: 'Countersign',
  userId: 'U0BOT00001',
  botId: 'B0BOT00001',
  name: 'countersign',
}

export const reader: Reader = { me, commands: new Set(['help', 'status', 'approve']) }

export const ada: Person = { id: `slack:${me.teamId}:U0ADA00001`, name: 'Ada', username: 'ada' }

type Fields = Readonly<Record<string, unknown>>

export function event(given: Fields, outer: Fields = {}) {
  return {
    type: 'event_callback',
    team_id: me.teamId,
    event_id: 'Ev0001',
    event_time: 1_800_000_000,
    event: given,
    ...outer,
  }
}

/** In direct messages. */
export function direct(text: string, more: Fields = {}) {
  return event({
    type: 'message',
    channel: 'D0ADA00001',
    channel_type: 'im',
    user: 'U0ADA00001',
    team: me.teamId,
    text,
    ts: '1800000000.000100',
    ...more,
  })
}

export function mention(text: string, more: Fields = {}) {
  return event({
    type: 'app_mention',
    channel: 'C0GENERAL1',
    user: 'U0ADA00001',
    team: me.teamId,
    text: `<@${me.userId}> ${text}`,
    ts: '1800000000.000100',
    ...more,
  })
}

export function tap(value: string, more: Fields = {}) {
  return {
    type: 'block_actions',
    team: { id: me.teamId, domain: 'countersign' },
    user: { id: 'U0ADA00001', team_id: me.teamId, name: 'ada' },
    trigger_id: '1.2.three',
    container: {
      type: 'message',
      message_ts: '1800000000.000200',
      channel_id: 'C0GENERAL1',
    },
    channel: { id: 'C0GENERAL1', name: 'general' },
    message: {
      type: 'message',
      ts: '1800000000.000200',
      thread_ts: '1800000000.000100',
      blocks: [
        { type: 'rich_text', elements: [{ type: 'rich_text_section', elements: [] }] },
        { type: 'actions', elements: [{ type: 'button', value }] },
      ],
    },
    actions: [{ type: 'button', action_id: 'deny_0_2', action_ts: '1800000001.000001', value }],
    ...more,
  }
}

export function submission(metadata: unknown, written: string | null, more: Fields = {}) {
  return {
    type: 'view_submission',
    team: { id: me.teamId },
    user: { id: 'U0ADA00001', team_id: me.teamId },
    view: {
      id: 'V0001',
      callback_id: 'reason',
      private_metadata: typeof metadata === 'string' ? metadata : JSON.stringify(metadata),
      state: { values: { written: { written: { type: 'plain_text_input', value: written } } } },
    },
    ...more,
  }
}

export function command(text: string, more: Fields = {}) {
  return {
    command: '/countersign',
    text,
    user_id: 'U0ADA00001',
    team_id: me.teamId,
    channel_id: 'C0GENERAL1',
    trigger_id: '1.2.four',
    ...more,
  }
}
