/** What the product must know of a chat platform beyond the port that it implements. */
export interface PlatformFacts {
  readonly title: string
  /** Form of the account ids in configuration; any other entry of a list of people is a username. */
  readonly accountId: RegExp
  /** Caller ids name the account's team, `slack:<team>:<member>`, while lists of people do not. */
  readonly hasTeams?: true
  /** Conversations have threads in which the platform takes no commands (SLACK-01). */
  readonly threadsTakeNoCommands?: true
  /** How to send a text that begins with a slash and is no command of the platform itself. */
  readonly slashHint?: string
  /** People of this machine, who watch each call and have local rights. */
  readonly isLocal?: true
}

const numericId = /^\d+$/

/** The chat platforms by the name with which caller ids begin. */
const platforms: ReadonlyMap<string, PlatformFacts> = new Map<string, PlatformFacts>([
  ['console', { title: 'the terminal', accountId: numericId, isLocal: true }],
  ['telegram', { title: 'Telegram', accountId: numericId }],
  [
    'slack',
    {
      title: 'Slack',
      // Member ids are in upper case, unlike usernames.
      accountId: /^[UW][A-Z0-9]{4,30}$/,
      hasTeams: true,
      threadsTakeNoCommands: true,
      slashHint: 'In Slack begin with a blank.',
    },
  ],
])

export const platformNames: readonly string[] = [...platforms.keys()]

/** A platform that is not listed has a name, numeric account ids and nothing of its own. */
export function platformFacts(name: string): PlatformFacts {
  return platforms.get(name) ?? { title: name, accountId: numericId }
}

/** The hints of all platforms on texts that begin with a slash. */
export const slashHints: readonly string[] = [...platforms.values()].flatMap(
  ({ slashHint }) => slashHint ?? [],
)

/** Titles of the platforms that people reach over a network: `Telegram or Slack`. */
export const remoteTitles: string = [...platforms.values()]
  .filter(({ isLocal }) => isLocal !== true)
  .map(({ title }) => title)
  .join(' or ')
