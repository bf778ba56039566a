import { Window } from 'happy-dom';
import { act, type ReactNode } from 'react';

const window = new Window({ url: 'https://tocsin.example.org/' });

/** Node has some of these as well. Its own know nothing of elements. */
const REPLACED = ['Event', 'EventTarget', 'FormData', 'navigator', 'localStorage', 'sessionStorage'];

for (const name of Object.getOwnPropertyNames(window))
  if (!(name in globalThis) || REPLACED.includes(name))
    Object.defineProperty(globalThis, name, {
      value: Reflect.get(window, name),
      configurable: true,
      writable: true,
    });
Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true });

// It looks for a page as soon as it is loaded.
const { createRoot } = await import('react-dom/client');
const { flushSync } = await import('react-dom');
openPopovers();

/** Shows an element on the page, until it is disposed of. */
export function show(element: ReactNode): Disposable & { readonly change: (element: ReactNode) => void } {
  const container = document.body.appendChild(document.createElement('div'));
  const root = createRoot(container);
  const change = (next: ReactNode) => act(() => root.render(next));
  change(element);
  return {
    change,
    [Symbol.dispose]() {
      act(() => root.unmount());
      container.remove();
    },
  };
}

/** Roles that elements have without saying so. */
const ELEMENTS: Readonly<Record<string, string>> = {
  button: 'button:not([role])',
  checkbox: 'input[type=checkbox]:not([role])',
  combobox: 'select',
  dialog: 'dialog[open]',
  listitem: 'li:not([role])',
  spinbutton: 'input[type=number]',
  textbox: 'input:not([type])',
};

/** The elements that screen readers find by role and name. */
export function all(role: string, name?: string): HTMLElement[] {
  const own = `[role="${role}"]`;
  const selector = ELEMENTS[role] === undefined ? own : `${own}, ${ELEMENTS[role]}`;
  const found = [...document.querySelectorAll<HTMLElement>(selector)];
  return name === undefined ? found : found.filter((element) => nameOf(element) === name);
}

export function one(role: string, name?: string): HTMLElement {
  const [element, ...others] = all(role, name);
  if (element === undefined || others.length > 0)
    throw new Error(
      `${others.length + Number(element !== undefined)} of ${role} "${name}" in ${document.body.innerHTML}`,
    );
  return element;
}

/** The name that screen readers say. */
export function nameOf(element: Element): string {
  const label = element.id === '' ? null : document.querySelector(`label[for="${element.id}"]`);
  const said = textOf(element.getAttribute('aria-labelledby')) ?? element.getAttribute('aria-label');
  return (said ?? (label ?? element).textContent ?? '').trim();
}

/** The text that screen readers say after the name. */
export const descriptionOf = (element: Element): string =>
  textOf(element.getAttribute('aria-describedby')) ?? '';

function textOf(ids: string | null): string | null {
  const elements = ids?.split(' ').map((id) => document.getElementById(id)?.textContent ?? '');
  return elements?.join(' ').trim() ?? null;
}

export const click = (element: HTMLElement): Promise<void> => act(async () => element.click());

/** Presses a key where the focus is. */
export function press(key: string): Promise<void> {
  const target = document.activeElement ?? document.body;
  return act(async () => void target.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true })));
}

/** Replaces the text of the field. */
export function type(field: HTMLElement, text: string): Promise<void> {
  return act(async () => {
    // React knows the values that are set by itself, and ignores them.
    Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, 'value')?.set?.call(field, text);
    field.dispatchEvent(new Event('input', { bubbles: true }));
  });
}

/** The imitation of a browser has no popovers: the button opens its own, and it says that it opens and closes. */
function openPopovers(): void {
  // Between the two events, browsers leave time to draw.
  const toggle = (popover: HTMLElement, newState: 'open' | 'closed') => {
    for (const name of ['beforetoggle', 'toggle'])
      flushSync(() => popover.dispatchEvent(Object.assign(new Event(name), { newState })));
  };
  HTMLElement.prototype.hidePopover = function hidePopover() {
    toggle(this, 'closed');
  };
  document.addEventListener('click', ({ target }) => {
    const button = (target as Element).closest('button[popovertarget]');
    const popover = document.getElementById(button?.getAttribute('popovertarget') ?? '');
    if (popover !== null) toggle(popover, 'open');
  });
}
