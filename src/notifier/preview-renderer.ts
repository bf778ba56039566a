import type { RenderPreview } from '../services/alert/channel-preview.ts';
import { quotedBody } from '../services/alert/deliveries.ts';
import type { Deps } from '../services/core/deps.ts';
import { askImaginedStory } from '../services/history/alert-stories.ts';
import type { ChannelPreviewer } from './channel-sender.ts';
import { eventOf, type NamedSite, reasonOf, testEvent } from './event.ts';
import { type ButtonTools, MessageButtons } from './message-buttons.ts';

/** Writes messages in the same way as all others, about a change that has not happened. */
export function createPreviewRenderer(
  deps: Deps,
  sender: ChannelPreviewer,
  site: NamedSite,
  hearsTaps: ButtonTools['hearsTaps'] = async () => false,
): RenderPreview {
  const made = new MessageButtons(deps, sender, { root: site.root, hearsTaps });
  return async (channel, { project, told, check, at }) => {
    const status = told === 'up' ? 'up' : 'down';
    const buttons = await made.masked(channel, status);
    if (check === null) {
      const event = testEvent(told, { channel, project }, deps.random.uuid, at, site);
      return sender.preview(channel, { ...event, buttons });
    }
    const ping = await deps.store.pings.lastUntil(check.id, at);
    const body = sender.needsBody(channel) ? await quotedBody(deps, { check, ping }) : null;
    const channelUuids = sender.needsDocument(channel) ? await deps.store.checks.channelsOf(check.id) : [];
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
    const event = eventOf(message, { body, told: story, channelUuids }, at, site, {
      statusUrl: null,
      buttons,
    });
    return sender.preview(channel, { ...event, askedFor: project.ownerId });
  };
}
