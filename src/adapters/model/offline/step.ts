/** One thing a person asked for, as a tool call; or words the offline model cannot place. */
export type Step =
  | {
      readonly kind: 'call'
      readonly tool: string
      readonly arguments: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'unknown'; readonly text: string }

export type CallStep = Extract<Step, { kind: 'call' }>
