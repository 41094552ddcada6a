import { readView } from '../blocks/check-view.ts'
import { invalidArguments, Refusal } from '../limits/refusal.ts'
import { changeModal, type ModalState, openModal, toApiView } from '../modals.ts'
import type { Call } from './method.ts'

type Result = Readonly<Record<string, unknown>>

export function viewsOpen(call: Call): Result {
  const { world, params } = call
  const trigger = world.triggers.check(params.required('trigger_id'))
  const view = readView(params)
  trigger.spend()
  return { view: toApiView(world, openModal(world, trigger.userId, view)) }
}

/** Lays a modal on the one from which its trigger came. */
export function viewsPush(call: Call): Result {
  const { world, app, params } = call
  const trigger = world.triggers.check(params.required('trigger_id'))
  const view = readView(params)
  const open = [...app.modals.values()].filter((modal) => modal.open)
  const below = open.findLast(({ userId }) => userId === trigger.userId)
  if (below === undefined) throw new Refusal('not_found')
  trigger.spend()
  return { view: toApiView(world, openModal(world, trigger.userId, view, below)) }
}

export function viewsUpdate(call: Call): Result {
  const { world, params } = call
  const view = readView(params)
  const modal = findModal(call)
  const hash = params.text('hash')
  if (hash !== undefined && hash !== modal.hash) throw new Refusal('hash_conflict')
  changeModal(world, modal, view)
  return { view: toApiView(world, modal) }
}

function findModal({ app, params }: Call): ModalState {
  const id = params.text('view_id')
  const externalId = params.text('external_id')
  if ((id === undefined) === (externalId === undefined)) {
    throw invalidArguments('exactly one of view_id, external_id is required')
  }
  const open = [...app.modals.values()].filter((modal) => modal.open)
  const found = open.find((modal) =>
    id === undefined ? modal.view.external_id === externalId : modal.id === id,
  )
  if (found === undefined) throw new Refusal('not_found')
  return found
}
