import { styleText } from 'node:util'

type Format = Parameters<typeof styleText>[0]

/** Applies a style to text without control characters. */
export type Paint = (text: string) => string

/** Styles of a terminal; without colour they return the text unchanged. */
export interface Paints {
  readonly plain: Paint
  readonly strong: Paint
  readonly emphasis: Paint
  readonly struck: Paint
  readonly code: Paint
  readonly link: Paint
  readonly dim: Paint
  readonly heading: Paint
  readonly card: Paint
  readonly warning: Paint
  readonly added: Paint
  readonly removed: Paint
}

export function createPaints(color: boolean): Paints {
  const paint =
    (format: Format): Paint =>
    (text) =>
      color && text !== '' ? styleText(format, text, { validateStream: false }) : text
  return {
    plain: (text) => text,
    strong: paint('bold'),
    emphasis: paint('italic'),
    struck: paint('strikethrough'),
    code: paint('cyan'),
    link: paint('underline'),
    dim: paint('dim'),
    heading: paint(['bold', 'magenta']),
    card: paint(['bold', 'yellow']),
    warning: paint(['bold', 'red']),
    added: paint('green'),
    removed: paint('red'),
  }
}
