import type { Field } from '../../lib/fields.ts';
import type { Direction } from './alert-event.ts';
import type { Choice, Setting } from './setting.ts';

/** A priority for each direction, as several kinds have it. */
export interface Priorities<P> {
  readonly priority_down: P;
  readonly priority_up: P;
}

export function priorityOf<P>(settings: Priorities<P>, to: Direction): P {
  return to === 'down' ? settings.priority_down : settings.priority_up;
}

export function prioritySettings<P>(
  field: Field<P>,
  choices: readonly Choice<P>[],
  presets: { readonly down: P; readonly up: P },
): { readonly priority_down: Setting<P>; readonly priority_up: Setting<P> } {
  const setting = (label: string, preset: P): Setting<P> => ({
    label,
    field,
    control: 'choice',
    default: preset,
    choices,
  });
  return {
    priority_down: setting('Priority when a check goes down', presets.down),
    priority_up: setting('Priority when a check comes up', presets.up),
  };
}

/** The name of a priority for people. */
export function priorityLabel<P>(choices: readonly Choice<P>[], priority: P): string {
  return choices.find(({ value }) => value === priority)?.label ?? String(priority);
}
