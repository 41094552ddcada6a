import { buttonsOf, type SeenButton } from '../blocks/buttons.ts'
import type { ChannelState } from '../channels.ts'
import { type StoredMessage, toApiMessage } from '../messages.ts'
import type { SlackUser } from '../users.ts'
import type { World } from '../world.ts'
import { type Interaction, interactionBase, momentOf, nameOf } from './interactions.ts'

/** A click as a client of somebody's own may claim it. */
export interface ClaimedClick {
  readonly messageTs: string
  readonly actionId: string
  readonly value?: string
  readonly blockId?: string
  readonly type?: SeenButton['type']
}

/** A button by its label (or an unmistakable part of it), its action id or its place. */
export function findButton(message: StoredMessage, button: string | number): SeenButton {
  const shown = buttonsOf(message.blocks)
  const found =
    typeof button === 'number'
      ? shown[button]
      : (shown.find(({ label, actionId }) => label === button || actionId === button) ??
        only(shown.filter(({ label }) => label.includes(button))))
  if (found !== undefined) return found
  const labels = shown.map(({ label }) => label).join(', ') || 'none'
  throw new Error(`no button "${button}" in message ${message.ts}, only: ${labels}`)
}

function only<T>(found: readonly T[]): T | undefined {
  return found.length === 1 ? found[0] : undefined
}

/** Sends block_actions: https://docs.slack.dev/reference/interaction-payloads/block_actions-payload */
export function clickButton(
  world: World,
  state: ChannelState,
  user: SlackUser,
  click: ClaimedClick & { readonly label?: string },
): Interaction {
  if (!world.app.interactive) throw new Error('the app has no interactivity')
  const message = state.messages.get(click.messageTs)
  const triggerId = world.triggers.add(user.id)
  const responseUrl = world.responseUrls.add('actions', {
    channelId: state.id,
    userId: user.id,
    messageTs: click.messageTs,
    threadTs: message?.threadTs,
  })
  const payload = {
    type: 'block_actions',
    ...interactionBase(world, user),
    ...placeOf(world, state, click.messageTs, message),
    trigger_id: triggerId,
    state: { values: {} },
    response_url: `${world.url}${responseUrl.path}`,
    actions: [actionOf(world, click)],
  }
  const outcome = world.deliveries.once('interactive', payload, false)
  world.changed()
  return { triggerId, responseUrl: payload.response_url, outcome }
}

/** An ephemeral message is not in the payload. */
function placeOf(
  world: World,
  state: ChannelState,
  ts: string,
  message: StoredMessage | undefined,
): Record<string, unknown> {
  const ephemeral = message?.ephemeralFor !== undefined
  const threadTs = message?.threadTs
  return {
    container: {
      type: 'message',
      message_ts: ts,
      channel_id: state.id,
      is_ephemeral: ephemeral,
      ...(threadTs !== undefined && { thread_ts: threadTs }),
    },
    channel: { id: state.id, name: nameOf(state) },
    ...(message !== undefined && !ephemeral && { message: toApiMessage(world, message) }),
  }
}

function actionOf(
  world: World,
  click: ClaimedClick & { readonly label?: string },
): Record<string, unknown> {
  return {
    action_id: click.actionId,
    block_id: click.blockId ?? '',
    text: { type: 'plain_text', text: click.label ?? '', emoji: true },
    ...(click.value !== undefined && { value: click.value }),
    type: click.type ?? 'button',
    action_ts: momentOf(world),
  }
}
