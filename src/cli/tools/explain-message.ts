import { gatePartsOf } from '../../app/gate-parts.ts'
import { openEmbedder } from '../../app/open-models.ts'
import { toolViewOf } from '../../app/settings/reviewing-model.ts'
import { unknownTools } from '../../app/unknown-tools.ts'
import { type CommandInput, openStandaloneDatabase } from '../../app/with-database.ts'
import { compareTools } from '../../core/turn/model/choose-turn-tools.ts'
import { findSucceededTools } from '../../db/call/model-tool-use.ts'
import { findUsedTools } from '../../db/turn/recent-calls.ts'
import { findSession } from '../../db/turn/sessions.ts'
import { CommandError } from '../../domain/command-error.ts'
import { isHidden } from '../../rules/gate/gate.ts'
import { builtinTools } from '../../rules/tools/registry.ts'
import { type ExplainedTool, explainTools } from '../../rules/tools/shown/explain-tools.ts'
import { namedDependencies } from '../../rules/tools/shown/unmet-requirements.ts'
import type { Log } from '../../util/log.ts'
import { silentLog } from '../../util/log.ts'
import { readContext } from '../gate/read-context.ts'

/** Hypothetical message and its context. */
export interface MessageToExplain extends CommandInput {
  readonly message: string
  readonly worker?: string
  readonly session?: string
  /** Tools that are assumed to have succeeded. */
  readonly after: readonly string[]
  readonly signal: AbortSignal
}

export interface ExplainedMessage {
  readonly tools: readonly ExplainedTool[]
  /** Facts that a turn would know and that are unknown here. */
  readonly unseen: readonly string[]
}

/**
 * SCH-03: explains which tools a model would be shown for a message. Calls no tool; asks the provider for embeddings if
 * configured.
 */
export async function explainMessage(asked: MessageToExplain): Promise<ExplainedMessage> {
  const { config, message, signal } = asked
  const wrong = unknownTools(config)
  if (wrong.length > 0) throw new CommandError(wrong.join('\n'), { code: 'CONFIG_INVALID' })
  const { facts, withoutDatabase } = await readContext(asked, gatePartsOf(config), asked)
  const view = toolViewOf(config)
  const past = await readPast(asked)
  const doubts: string[] = []
  const isCompared = builtinTools.length > (view.filter?.aboveTools ?? builtinTools.length)
  const embedder = isCompared ? openEmbedder(config) : undefined
  const similarities =
    embedder === undefined
      ? undefined
      : await compareTools({ embedder, log: noting(doubts) }, message, builtinTools, signal)
  const tools = explainTools({
    tools: config.tools.enabled ? builtinTools : [],
    view,
    message,
    isHidden: (spec) => isHidden(spec, facts),
    succeeded: new Set([...past.succeeded, ...asked.after]),
    used: past.used,
    similarities,
  })
  const unseen = [
    ...(withoutDatabase === undefined
      ? []
      : [`trust in tools, in the database (${withoutDatabase})`]),
    ...doubts,
    ...(config.tools.enabled ? [] : ['tools are switched off ([tools] enabled)']),
  ]
  return { tools, unseen }
}

/** Reads which tools succeeded and were used in the given session; empty without one. */
async function readPast({ session: id, ...asked }: MessageToExplain) {
  if (id === undefined) return { succeeded: new Set<string>(), used: new Set<string>() }
  const { dependencies } = asked.config.tools
  await using beside = await openStandaloneDatabase(asked)
  const { db } = beside.database
  if ((await findSession(db, id)) === undefined) {
    throw new CommandError(`there is no session ${id}`, { code: 'UNKNOWN_NAME' })
  }
  return {
    succeeded: await findSucceededTools(db, id, namedDependencies(dependencies)),
    used: await findUsedTools(db, id),
  }
}

function noting(doubts: string[]): Log {
  return { ...silentLog, warn: ({ error }) => void doubts.push(`embeddings: ${error}`) }
}
