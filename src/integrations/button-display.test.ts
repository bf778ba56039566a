import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anEvent, BUTTONS, recordingPorts, SERVER, VAULT } from './kind/alert-event.test-support.ts';
import { BUTTON_PLACEHOLDERS } from './kind/button-display.ts';
import { CHANNEL_KINDS, codeOf, isChannelKind } from './lookup.ts';
import { buttonDisplay, openChannel } from './registry.ts';

for (const kind of CHANNEL_KINDS.filter(isChannelKind)) {
  test(`messages of ${kind} have buttons exactly if the kind says how`, async () => {
    const channel = { kind, settings: { open: codeOf(kind).example, sealed: null } };
    const shown = async (buttons: typeof BUTTONS) => {
      const event = anEvent({ to: 'down', reason: 'fail', buttons });
      const preview = await openChannel(channel, SERVER, VAULT).preview(event, recordingPorts());
      return JSON.stringify([preview.requests, preview.mails]);
    };
    const display = buttonDisplay(kind);

    const hasButtons = (await shown(BUTTONS)) !== (await shown([]));

    assert.equal(hasButtons, display !== null && display !== BUTTON_PLACEHOLDERS);
  });
}
