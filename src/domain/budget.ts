import type { Messages } from './messages/messages.ts'

/** LOOP-15: daily limits (UTC) of one person or one session; absent means no limit. */
export interface DailyLimits {
  /** Number of calls that ran or may still run. */
  readonly toolCalls?: number | undefined
  /** Input and output tokens together. */
  readonly tokens?: number | undefined
  /** US dollars, computed from the price table. */
  readonly cost?: number | undefined
}

/** Unit of a daily limit. */
export type BudgetUnit = keyof DailyLimits

/** Consumption since the start of the day (UTC). */
export type Spent = Readonly<Record<BudgetUnit, number>>

/** Limit and consumption in one unit. */
export interface BudgetLine {
  readonly unit: BudgetUnit
  readonly limit: number
  readonly spent: number
}

/** Returns a line for every unit that has a limit. */
export function budgetLines(limits: DailyLimits, spent: Spent): readonly BudgetLine[] {
  const units = ['toolCalls', 'tokens', 'cost'] as const
  return units.flatMap((unit) => {
    const limit = limits[unit]
    return limit === undefined ? [] : [{ unit, limit, spent: spent[unit] }]
  })
}

/** What is used of a budget: `12 of 100 tool calls`. */
export function describeBudget(messages: Messages, { unit, limit, spent }: BudgetLine): string {
  return messages.turns.spent({ unit, spent, limit: describeLimit(messages, { unit, limit }) })
}

export function describeLimit(
  { turns }: Messages,
  { unit, limit }: Pick<BudgetLine, 'unit' | 'limit'>,
): string {
  return turns.amount({ unit, value: limit })
}
