/** What the product must know of a chat platform beyond the port that it implements. */
export interface PlatformFacts {
  readonly title: string
  /** Form of the account ids in configuration; any other entry of a list of people is a username. */
  readonly accountId: RegExp
  /** Caller ids name the account's team, `slack:<team>:<member>`, while lists of people do not. */
  readonly hasTeams?: true
  /** Conversations have threads in which the platform takes no commands (SLACK-01). */
  readonly threadsTakeNoCommands?: true
  /** A text that begins with a slash and is no command of the platform itself needs a space before it. */
  readonly needsSpaceBeforeSlash?: true
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
      needsSpaceBeforeSlash: true,
    },
  ],
])

export const platformNames: readonly string[] = [...platforms.keys()]

/** A platform that is not listed has a name, numeric account ids and nothing of its own. */
export function platformFacts(name: string): PlatformFacts {
  return platforms.get(name) ?? { title: name, accountId: numericId }
}

const titlesOf = (isMeant: (facts: PlatformFacts) => boolean): readonly string[] =>
  [...platforms.values()].filter(isMeant).map(({ title }) => title)

/** Titles of the platforms where a text that begins with a slash needs a space before it. */
export const spaceBeforeSlash = titlesOf(
  ({ needsSpaceBeforeSlash }) => needsSpaceBeforeSlash === true,
)

/** Titles of the platforms that people reach over a network. */
export const remoteTitles = titlesOf(({ isLocal }) => isLocal !== true)
