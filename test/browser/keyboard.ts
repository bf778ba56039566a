import assert from 'node:assert/strict';
import type { Locator } from 'playwright-core';

/** More than there are on any page that a test walks through. */
const MOST_STOPS = 150;

/** Moves the focus by the Tab key alone. What can only be reached by a mouse fails. */
export async function tabTo(element: Locator): Promise<void> {
  const { keyboard } = element.page();
  await element.waitFor();
  for (let stop = 0; stop < MOST_STOPS; stop++) {
    if (await element.evaluate((one) => one.matches(':focus'))) return;
    await keyboard.press('Tab');
  }
  assert.fail(`the Tab key does not reach ${element}`);
}

/** Replaces the text of a field that is reached by the Tab key. */
export async function typeInto(field: Locator, text: string): Promise<void> {
  await tabTo(field);
  await field.page().keyboard.press('ControlOrMeta+a');
  await field.page().keyboard.type(text);
}

/** Presses a key on what is reached by the Tab key: Enter on a button, in a list the first letter of what is chosen. */
export async function pressOn(element: Locator, key: string): Promise<void> {
  await tabTo(element);
  await element.page().keyboard.press(key);
}
