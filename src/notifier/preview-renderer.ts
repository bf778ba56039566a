import type { RenderPreview } from '../services/alert/channel-preview.ts';
import { quotedBody } from '../services/alert/deliveries.ts';
import type { Deps } from '../services/core/deps.ts';
import { askImaginedStory } from '../services/history/alert-stories.ts';
import type { ChannelPreviewer } from './channel-sender.ts';
import { eventOf, type NamedSite, reasonOf, testEvent } from './event.ts';

/** Writes messages in the same way as all others, about a change that has not happened. */
export function createPreviewRenderer(deps: Deps, sender: ChannelPreviewer, site: NamedSite): RenderPreview {
  return async (channel, { project, told, check, at }) => {
    if (check === null) {
      return sender.preview(channel, testEvent(told, { channel, project }, deps.random.uuid, at, site));
    }
    const ping = await deps.store.pings.lastUntil(check.id, at);
    const body = sender.needsBody(channel) ? await quotedBody(deps, { check, ping }) : null;
    const channelUuids = sender.needsDocument(channel) ? await deps.store.checks.channelsOf(check.id) : [];
    const status = told === 'up' ? 'up' : 'down';
    const flip = {
      checkId: check.id,
      createdAt: at,
      oldStatus: told === 'up' ? 'down' : 'up',
      newStatus: status,
      reason: reasonOf(told),
      cause: '',
    } as const;
    const message = {
      delivery: { uuid: deps.random.uuid(), status } as const,
      downFor: null,
      ...{ channel, check, project, flip, ping },
    };
    const story = sender.needsStory(channel) ? await askImaginedStory(deps, message, body) : null;
    const event = eventOf(message, { body, told: story, channelUuids }, at, site, null);
    return sender.preview(channel, { ...event, askedFor: project.ownerId });
  };
}
