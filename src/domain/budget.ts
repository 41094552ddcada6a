/** LOOP-15: what one person or one session may use on a day (UTC); absent: no limit. */
export interface DailyLimits {
  /** Calls that ran, or still may. */
  readonly toolCalls?: number | undefined
  /** Read and written. */
  readonly tokens?: number | undefined
  /** US dollars by the price table. */
  readonly cost?: number | undefined
}

/** What is limited. */
export type BudgetUnit = keyof DailyLimits

/** What was used of each since the day began. */
export type Spent = Readonly<Record<BudgetUnit, number>>

/** How a budget stands. */
export interface BudgetLine {
  readonly unit: BudgetUnit
  readonly limit: number
  readonly spent: number
}

/** Every unit that has a limit, and how it stands. */
export function budgetLines(limits: DailyLimits, spent: Spent): readonly BudgetLine[] {
  const units = ['toolCalls', 'tokens', 'cost'] as const
  return units.flatMap((unit) => {
    const limit = limits[unit]
    return limit === undefined ? [] : [{ unit, limit, spent: spent[unit] }]
  })
}

/** `1,250 of 100,000 tokens`. */
export function describeBudget({ unit, limit, spent }: BudgetLine): string {
  return `${amount(unit, spent)} of ${describeLimit({ unit, limit })}`
}

/** `100,000 tokens`. */
export function describeLimit({ unit, limit }: Pick<BudgetLine, 'unit' | 'limit'>): string {
  return `${amount(unit, limit)} ${words[unit]}`
}

const words: Readonly<Record<BudgetUnit, string>> = {
  toolCalls: 'tool calls',
  tokens: 'tokens',
  cost: 'USD',
}

function amount(unit: BudgetUnit, value: number): string {
  const most = unit === 'cost' ? 4 : 0
  return value.toLocaleString('en-US', { maximumFractionDigits: most })
}
