import { type Channel, TOLD_EVENTS, type ToldEvent } from '../../domain/alert/channel.ts';
import type { Check } from '../../domain/check/check.ts';
import { AppError } from '../../domain/errors.ts';
import type { Project } from '../../domain/people/project.ts';
import type { InstanceOffer, Preview } from '../../integrations/registry.ts';
import { type Actor, ownChannel, ownCheck, requirePermission } from '../core/actor.ts';
import type { Deps } from '../core/deps.ts';
import { type ChannelDraft, draftChannel } from './channels.ts';

export interface PreviewSubject {
  readonly project: Project;
  readonly told: ToldEvent;
  /** Null for the invented check of test messages. */
  readonly check: Check | null;
}

/** Shows the messages that would be sent through the channel, and sends nothing. */
export type RenderPreview = (channel: Channel, subject: PreviewSubject) => Promise<Preview>;

export interface PreviewRequest {
  readonly event?: ToldEvent | undefined;
  /** The UUID of the check. Absent: an invented one. */
  readonly check?: string | undefined;
}

/** The requests that a message would make, with secrets masked. */
export async function previewChannel(
  deps: Deps,
  actor: Actor,
  uuid: string,
  request: PreviewRequest,
  render: RenderPreview,
): Promise<Preview> {
  requirePermission(actor, 'channels.test');
  const channel = ownChannel(actor, await deps.store.channels.byUuid(uuid));
  return previewOf(deps, actor, channel, request, render);
}

/** A preview for settings that are not saved. */
export async function previewChannelDraft(
  deps: Deps,
  actor: Actor,
  draft: ChannelDraft & PreviewRequest,
  { offer, render }: { readonly offer: InstanceOffer; readonly render: RenderPreview },
): Promise<Preview> {
  requirePermission(actor, 'channels.test');
  return previewOf(deps, actor, await draftChannel(deps, actor, draft, offer), draft, render);
}

async function previewOf(
  { store }: Deps,
  actor: Actor,
  channel: Channel,
  { event = TOLD_EVENTS[0], check: uuid }: PreviewRequest,
  render: RenderPreview,
): Promise<Preview> {
  const project = await store.projects.byId(actor.projectId);
  if (project === null) throw new AppError('channel_not_found');
  const check = uuid === undefined ? null : ownCheck(actor, await store.checks.byUuid(uuid));
  return render(channel, { project, told: event, check });
}
