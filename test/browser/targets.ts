import type { Page } from 'playwright-core';

/** What a finger needs, in pixels. */
const FINGER = 44;

/**
 * Runs in the page. A text, because the types of the browser are not known here. From the middle of every control it asks
 * in four directions how far a touch still reaches it, so that padding, pseudo-elements and labels count, and what another
 * control covers does not.
 */
const SMALL_TARGETS = `(async () => {
  const controls = 'a[href], button, summary, select, input, [role="tab"], [role="menuitem"], [role="option"]';
  const shown = [...document.querySelectorAll('dialog:modal, :popover-open')].at(-1) ?? document.body;
  // The label around a field leads to it.
  const placeOf = (element) => (element.closest('label') ?? element).getBoundingClientRect();
  const isSeen = (element) => {
    const { width, height } = placeOf(element);
    const { pointerEvents } = getComputedStyle(element);
    return width > 1 && height > 1 && pointerEvents !== 'none' && element.checkVisibility({ visibilityProperty: true, opacityProperty: true });
  };
  const isExempt = (element) => element.matches(':disabled, [aria-disabled="true"], [aria-hidden="true"] *');
  // A part of a sentence is as high as its line.
  const isInText = (element) => {
    const isInline = (one) => getComputedStyle(one).display.startsWith('inline');
    if (element.matches('input, select') || !isInline(element)) return false;
    let block = element;
    while (isInline(block)) block = block.parentElement;
    const texts = document.createTreeWalker(block, NodeFilter.SHOW_TEXT);
    while (texts.nextNode()) {
      const { data, parentElement } = texts.currentNode;
      if (/[\\p{L}\\p{N}]/u.test(data) && parentElement.closest(controls) === null) return true;
    }
    return false;
  };
  const reaches = (element, x, y) => {
    const hit = document.elementFromPoint(x, y);
    return hit !== null && (element.contains(hit) || hit.closest('label')?.control === element);
  };
  const reach = (element, x, y, stepX, stepY) => {
    let length = 0;
    while (length < ${FINGER} && reaches(element, x + stepX * (length + 1), y + stepY * (length + 1))) length++;
    return length;
  };
  const nameOf = (element) => {
    const words = element.getAttribute('aria-label') ?? element.labels?.[0]?.textContent ?? element.textContent;
    return element.tagName.toLowerCase() + ' "' + words.trim().replaceAll(/\\s+/g, ' ').slice(0, 40) + '"';
  };
  const small = new Set();
  for (const element of shown.querySelectorAll(controls)) {
    if (!isSeen(element) || isExempt(element) || isInText(element)) continue;
    element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' });
    const { left, top, width, height } = placeOf(element);
    const [x, y] = [left + width / 2, top + height / 2];
    if (!reaches(element, x, y)) {
      small.add(nameOf(element) + ' is covered');
      continue;
    }
    const wide = reach(element, x, y, -1, 0) + reach(element, x, y, 1, 0) + 1;
    const high = reach(element, x, y, 0, -1) + reach(element, x, y, 0, 1) + 1;
    if (wide < ${FINGER} || high < ${FINGER}) small.add(nameOf(element) + ': ' + wide + ' × ' + high + ' px');
  }
  return [...small];
})()`;

/** The controls of the page, or of the dialog or menu that is open, that a finger easily misses. Links in sentences are not meant. */
export function smallTargets(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(SMALL_TARGETS);
}
