import { note } from '../channels.ts'
import { Refusal } from '../limits/refusal.ts'
import type { Call } from './method.ts'
import { visibleChannel } from './places.ts'

// https://docs.slack.dev/reference/methods/reactions.add
export function addReaction(call: Call): Readonly<Record<string, unknown>> {
  const { world, app, params } = call
  const state = visibleChannel(call)
  if (state.archived) throw new Refusal('is_archived')
  if (!params.has('timestamp')) throw new Refusal('no_item_specified')
  const name = params.required('name')
  if (!/^[a-z0-9_+'-]+(::skin-tone-[2-6])?$/.test(name)) throw new Refusal('invalid_name')
  const message = state.messages.get(params.required('timestamp'))
  if (message === undefined || message.deleted || message.ephemeralFor !== undefined) {
    throw new Refusal('message_not_found')
  }
  const known = message.reactions.find((reaction) => reaction.name === name)
  if (known?.users.includes(app.userId)) throw new Refusal('already_reacted')
  const others = message.reactions.filter((reaction) => reaction !== known)
  message.reactions = [...others, { name, users: [...(known?.users ?? []), app.userId] }]
  note(world, state, 'edit', message)
  return {}
}
