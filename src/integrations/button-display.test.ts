import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anEvent, BUTTONS, recordingPorts, SERVER, VAULT } from './kind/alert-event.test-support.ts';
import { BUTTON_PLACEHOLDERS } from './kind/button-display.ts';
import { CHANNEL_KINDS, codeOf, isChannelKind } from './lookup.ts';
import { buttonDisplay, openChannel, takesAnyWords } from './registry.ts';

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

  test(`a message of ${kind} about many checks has the buttons that one about a single check has`, async () => {
    const channel = { kind, settings: { open: codeOf(kind).example, sealed: null } };
    const display = buttonDisplay(kind);
    if (!takesAnyWords(channel) || display === null || display === BUTTON_PLACEHOLDERS) return;
    const event = anEvent({
      ...{ to: 'down', reason: '', buttons: BUTTONS },
      ownWords: { title: '55 checks down', text: 'Down: web1, web2 and 53 more.' },
      notice: { word: 'Down', isFine: false, link: 'https://tocsin.example.org/projects/p/checks/' },
    });

    const preview = await openChannel(channel, SERVER, VAULT).preview(event, recordingPorts());

    const text = JSON.stringify([preview.requests, preview.mails]).replaceAll('+', ' ');
    for (const { label, token } of BUTTONS.slice(0, 2)) {
      assert.ok(text.includes(label), `${label} in ${text}`);
      assert.ok(text.includes(token.slice(0, 24)), text);
    }
  });
}
