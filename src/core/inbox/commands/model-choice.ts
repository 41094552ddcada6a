import { z } from 'zod'
import type { Db, SessionRow } from '../../../db/schema.ts'
import { findLiveAgents, type ModelChoice } from '../../../db/worker/agents.ts'

const offered = z.array(z.strictObject({ name: z.string(), about: z.string() }))

/** What a session's model can be, as the agents that live say it. */
export interface ModelChoices {
  /** Of the one that is configured; undefined: no agent lives. */
  readonly configured: string | undefined
  /** Those that every agent has: none may answer by another one than was chosen. */
  readonly others: readonly ModelChoice[]
  /** undefined: none was chosen, or it is configured no more. */
  readonly chosen: ModelChoice | undefined
}

export async function findModelChoices(db: Db, session: SessionRow): Promise<ModelChoices> {
  const agents = await findLiveAgents(db)
  const [first, ...rest] = agents.map(({ models }) => offered.parse(JSON.parse(models)))
  const others = (first ?? []).filter(({ name }) =>
    rest.every((models) => models.some((model) => model.name === name)),
  )
  return {
    configured: agents[0]?.model,
    others,
    chosen: others.find(({ name }) => name === session.model),
  }
}

/** `fast (openai gpt-4o-mini)` */
export function describeChoice({ name, about }: ModelChoice): string {
  return `${name} (${about})`
}
