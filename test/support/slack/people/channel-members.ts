import { emit, emitMention } from '../events.ts'
import type { StoredMessage } from '../messages.ts'
import { post } from '../posting.ts'
import type { SlackUser } from '../users.ts'
import { ChannelView } from './channel-view.ts'

/** Who is in a conversation, and what it allows. */
export class ChannelMembers extends ChannelView {
  get members(): ReadonlySet<string> {
    return this.state.members
  }

  /** Somebody comes, alone or invited; the app is told. */
  join(user: SlackUser, inviter?: SlackUser): void {
    const { world, state } = this
    if (state.members.has(user.id)) return
    state.members.add(user.id)
    const invited = inviter === undefined ? {} : { inviter: inviter.id }
    emit(
      world,
      'member_joined_channel',
      {
        type: 'member_joined_channel',
        user: user.id,
        channel: state.id,
        channel_type: state.kind === 'channel' ? 'C' : 'G',
        team: user.teamId,
        ...invited,
        event_ts: world.ts(),
      },
      state,
    )
    post(world, state, {
      text: `<@${user.id}> has joined the channel`,
      userId: user.id,
      teamId: user.teamId,
      inviter: inviter?.id,
      subtype: state.kind === 'group' ? 'group_join' : 'channel_join',
    })
  }

  /** Somebody adds the app under test; when Slack offered it below a mention, that one comes to the app as well. */
  addApp(inviter: SlackUser, mentionTs?: string): void {
    this.join(this.#appUser(), inviter)
    if (mentionTs !== undefined) emitMention(this.world, this.state, this.stored(mentionTs))
  }

  /** Somebody removes the app under test; it is not told. */
  removeApp(): void {
    this.state.members.delete(this.world.app.userId)
    this.world.changed()
  }

  leave(user: SlackUser): void {
    this.state.members.delete(user.id)
    this.world.changed()
  }

  archive(archived = true): void {
    this.state.archived = archived
    this.world.changed()
  }

  /** Only administrators may write from now on. */
  makeReadOnly(readOnly = true): void {
    this.state.readOnly = readOnly
  }

  protected stored(ts: string): StoredMessage {
    const message = this.state.messages.get(ts)
    if (message === undefined || message.deleted) throw new Error(`message ${ts} is not there`)
    return message
  }

  #appUser(): SlackUser {
    const user = this.world.users.get(this.world.app.userId)
    if (user === undefined) throw new Error('the app has no user')
    return user
  }
}
