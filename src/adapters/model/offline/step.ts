/** One request of the user as a tool call, or text that the offline model does not understand. */
export type Step =
  | {
      readonly kind: 'call'
      readonly tool: string
      readonly arguments: Readonly<Record<string, unknown>>
    }
  | { readonly kind: 'unknown'; readonly text: string }

export type CallStep = Extract<Step, { kind: 'call' }>
