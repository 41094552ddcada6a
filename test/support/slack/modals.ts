import { randomBytes } from 'node:crypto'
import type { types } from '@slack/bolt'
import { withIds } from './blocks/with-ids.ts'
import { Refusal } from './limits/refusal.ts'
import type { World } from './world.ts'

/** A modal on somebody's screen. */
export interface ModalState {
  /** `V…` */
  readonly id: string
  readonly userId: string
  /** Of the one that all others of its stack lie on. */
  readonly rootId: string
  readonly previousId: string | undefined
  view: types.ModalView
  hash: string
  open: boolean
  /** What the app found wrong with what was submitted, by block id. */
  errors: Readonly<Record<string, string>>
  /** Every version that was shown, in order. */
  readonly versions: types.ModalView[]
}

/** Three lie on each other at most: https://docs.slack.dev/surfaces/modals */
const mostStacked = 3

export function openModal(
  world: World,
  userId: string,
  view: types.ModalView,
  below?: ModalState,
): ModalState {
  checkExternalId(world, view, undefined)
  if (below !== undefined && depthOf(world, below) >= mostStacked)
    throw new Refusal('push_limit_reached')
  const id = world.id('V')
  const modal: ModalState = {
    id,
    userId,
    rootId: below?.rootId ?? id,
    previousId: below?.id,
    ...versionOf(view),
    open: true,
    errors: {},
    versions: [],
  }
  modal.versions.push(modal.view)
  world.app.modals.set(id, modal)
  world.changed()
  return modal
}

export function changeModal(world: World, modal: ModalState, view: types.ModalView): void {
  checkExternalId(world, view, modal.id)
  Object.assign(modal, versionOf(view), { errors: {} })
  modal.versions.push(modal.view)
  world.changed()
}

function versionOf(view: types.ModalView): Pick<ModalState, 'view' | 'hash'> {
  const blocks = [...withIds(view.blocks)]
  return { view: { ...view, blocks }, hash: `${Date.now()}.${randomBytes(4).toString('hex')}` }
}

function checkExternalId(world: World, view: types.ModalView, own: string | undefined): void {
  if (view.external_id === undefined || view.external_id === '') return
  for (const modal of world.app.modals.values()) {
    const taken = modal.open && modal.view.external_id === view.external_id
    if (taken && modal.id !== own) throw new Refusal('duplicate_external_id')
  }
}

function depthOf(world: World, modal: ModalState): number {
  const below = world.app.modals.get(modal.previousId ?? '')
  return below === undefined ? 1 : 1 + depthOf(world, below)
}

/** A modal as the Web API and the payloads show it. */
export function toApiView(
  world: World,
  modal: ModalState,
  values: Readonly<Record<string, unknown>> = {},
): Record<string, unknown> {
  const { app } = world
  const { view } = modal
  return {
    id: modal.id,
    team_id: app.teamId,
    type: 'modal',
    blocks: view.blocks,
    private_metadata: view.private_metadata ?? '',
    callback_id: view.callback_id ?? '',
    state: { values },
    hash: modal.hash,
    title: view.title,
    clear_on_close: view.clear_on_close ?? false,
    notify_on_close: view.notify_on_close ?? false,
    close: view.close ?? null,
    submit: view.submit ?? null,
    previous_view_id: modal.previousId ?? null,
    root_view_id: modal.rootId,
    app_id: app.id,
    external_id: view.external_id ?? '',
    app_installed_team_id: app.teamId,
    bot_id: app.botId,
  }
}
