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

/** Formats consumption and limit: `1,250 of 100,000 tokens`. */
export function describeBudget({ unit, limit, spent }: BudgetLine): string {
  return `${formatAmount(unit, spent)} of ${describeLimit({ unit, limit })}`
}

/** Formats a limit: `100,000 tokens`. */
export function describeLimit({ unit, limit }: Pick<BudgetLine, 'unit' | 'limit'>): string {
  return `${formatAmount(unit, limit)} ${unitNames[unit]}`
}

const unitNames: Readonly<Record<BudgetUnit, string>> = {
  toolCalls: 'tool calls',
  tokens: 'tokens',
  cost: 'USD',
}

function formatAmount(unit: BudgetUnit, value: number): string {
  const most = unit === 'cost' ? 4 : 0
  return value.toLocaleString('en-US', { maximumFractionDigits: most })
}
