import type { Config } from '../config/config.ts'
import { systemPrompt } from '../core/turn/model/system-prompt.ts'
import type { Model } from '../ports/model.ts'
import { builtinTools } from '../rules/tools/registry.ts'
import { shownTool } from '../rules/tools/shown/shown-schema.ts'

/** Upper bound for any text, so that a prompt that does not fit by it never fits. */
const mostBytesPerToken = 5
const fullAt = 0.8

/**
 * MODEL-07: returns why a model cannot be used, without a full stop: instructions and tools alone exceed its context
 * window. undefined if they fit or the window is unknown.
 */
export function firstRequestProblem(
  config: Config,
  model: Pick<Model, 'name' | 'nativeTools' | 'contextTokens'>,
): string | undefined {
  const budget = smallest(config.agent.contextBudgetTokens, model.contextTokens)
  if (budget === undefined) return undefined
  const tokens = Math.round(firstRequestBytes(config, model.nativeTools) / mostBytesPerToken)
  if (tokens <= fullAt * budget) return undefined
  return `instructions and tools alone come to at least ${number(tokens)} tokens, and ${model.name} has room for ${number(Math.floor(fullAt * budget))} (four fifths of ${number(budget)}). Name a model with a larger window, or set [model] context_window or [agent] context_budget_tokens where it has one`
}

function smallest(one: number | undefined, other: number | undefined): number | undefined {
  return one === undefined || other === undefined ? (one ?? other) : Math.min(one, other)
}

function firstRequestBytes({ tools, worker }: Config, native: boolean): number {
  const shown = tools.enabled ? builtinTools.map((spec) => shownTool(spec, undefined)) : []
  const system = systemPrompt({
    ...{ tools: shown, workspace: '/', worker: worker.name, native },
    commandsHaveNetwork: true,
  })
  return Buffer.byteLength(JSON.stringify([system, native ? shown : []]))
}

function number(count: number): string {
  return count.toLocaleString('en-US')
}
