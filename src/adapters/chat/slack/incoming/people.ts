import { webApi } from '@slack/bolt'
import { z } from 'zod'
import type { Person } from '../../../../ports/chat.ts'
import { dropOldest } from '../../../../util/drop-oldest.ts'
import { toStorable } from '../../../../util/text/storable.ts'
import type { SlackIdentity } from '../connect.ts'

const freshMs = 10 * 60_000
/** Maximum age of an entry that is used while Slack does not answer. */
const staleMs = 24 * 3_600_000
const maxPeople = 5_000
/** Slack's error codes for people who are not visible to the app. */
const invisibleCodes: ReadonlySet<string> = new Set([
  'user_not_found',
  'user_not_visible',
  'users_not_found',
])
/** Slack does not mark Slackbot as a bot. */
const slackbot = 'USLACKBOT'

const userInfo = z.object({
  user: z.object({
    team_id: z.string().optional(),
    name: z.string().default(''),
    real_name: z.string().default(''),
    is_bot: z.boolean().default(false),
    is_workflow_bot: z.boolean().default(false),
    is_stranger: z.boolean().default(false),
    deleted: z.boolean().default(false),
    profile: z
      .object({ display_name: z.string().default(''), real_name: z.string().default('') })
      .default({ display_name: '', real_name: '' }),
  }),
})

interface Known {
  readonly at: number
  readonly who: Person | string
}

export interface People {
  /** The person, or the reason to ignore them. Rejects with the client's errors while Slack does not answer. */
  find(userId: string, team: string | undefined): Promise<Person | string>
}

/**
 * Looks people up at Slack (CHAT-01). People of other teams (Slack Connect), bots and deactivated accounts are ignored,
 * whatever an event claims.
 */
export function createPeople(
  client: webApi.WebClient,
  me: SlackIdentity,
  now: () => number = () => performance.now(),
): People {
  const known = new Map<string, Known>()
  const fetchPerson = async (userId: string): Promise<Person | string> => {
    try {
      return toPerson(userId, userInfo.parse(await client.users.info({ user: userId })), me)
    } catch (error) {
      if (error instanceof webApi.WebAPIPlatformError && invisibleCodes.has(error.data.error))
        return 'somebody whom Slack does not show us'
      throw error
    }
  }
  const refresh = async (userId: string): Promise<Person | string> => {
    const who = await fetchPerson(userId)
    known.delete(userId)
    known.set(userId, { at: now(), who })
    dropOldest(known, maxPeople)
    return who
  }
  return {
    find: async (userId, team) => {
      if (team !== undefined && team !== me.teamId) return 'somebody of another team'
      if (userId === slackbot) return 'Slackbot'
      const last = known.get(userId)
      if (last !== undefined && now() - last.at < freshMs) return last.who
      try {
        return await refresh(userId)
      } catch (error) {
        if (last !== undefined && now() - last.at < staleMs) return last.who
        throw error
      }
    },
  }
}

function toPerson(
  id: string,
  { user }: z.infer<typeof userInfo>,
  me: SlackIdentity,
): Person | string {
  if (user.team_id !== me.teamId || user.is_stranger) return 'somebody of another team'
  if (user.is_bot || user.is_workflow_bot) return 'a bot'
  if (user.deleted) return 'an account that was shut'
  const { display_name: shown, real_name: real } = user.profile
  const name = [shown, real, user.real_name, user.name].find((each) => each.trim() !== '') ?? id
  const username = user.name === '' ? {} : { username: toStorable(user.name) }
  return { id: `slack:${me.teamId}:${id}`, name, ...username }
}
