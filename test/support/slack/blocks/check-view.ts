import type { types } from '@slack/bolt'
import { invalidArguments, Refusal } from '../limits/refusal.ts'
import { isRecord, type Params } from '../params.ts'
import { viewBlock } from './block-kinds.ts'
import { findTwins } from './check-blocks.ts'
import { boolean, list, object, oneOf, problem, string } from './schema.ts'
import { plainText } from './texts.ts'

// https://docs.slack.dev/reference/views/modal-views
const modal = object(
  { type: oneOf('modal'), title: plainText(24), blocks: list(viewBlock, 100) },
  {
    submit: plainText(24),
    close: plainText(24),
    private_metadata: string(3000, 0),
    callback_id: string(255, 0),
    external_id: string(255, 0),
    clear_on_close: boolean,
    notify_on_close: boolean,
    submit_disabled: boolean,
  },
)

/** views.open, error view_too_large. */
const mostBytes = 250_000

/** The modal of a call. */
export function readView(params: Params): types.ModalView {
  const view = params.json('view', () =>
    invalidArguments('must be valid JSON [json-pointer:/view]'),
  )
  if (view === undefined) throw invalidArguments('missing required field: view')
  return checkView(view)
}

/** Throws what Slack refuses in a modal. */
export function checkView(view: unknown): types.ModalView {
  if (JSON.stringify(view).length > mostBytes) throw new Refusal('view_too_large')
  const problems: string[] = []
  modal(view, '/view', problems)
  if (isRecord(view) && Array.isArray(view['blocks'])) {
    problems.push(...findTwins(view['blocks'], '/view/blocks'))
    const asks = view['blocks'].some((block) => isRecord(block) && block['type'] === 'input')
    if (asks && view['submit'] === undefined) {
      problems.push(problem('missing required field: submit', '/view'))
    }
  }
  if (problems.length > 0) throw invalidArguments(...problems)
  return view as types.ModalView
}
