import { styleText } from 'node:util'

type Format = Parameters<typeof styleText>[0]

/** Puts a style around text that holds no control characters. */
export type Paint = (text: string) => string

/** The styles of a terminal; without colour each leaves its text alone. */
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
