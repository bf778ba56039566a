import { useMutation } from '@tanstack/react-query';
import type { FormEvent } from 'react';
import { ApiError } from './api.ts';

/** Where the faults of a request stand: at their fields, all others below. */
export function faultsOf(error: Error | null) {
  const fault = error instanceof ApiError ? error : null;
  return {
    /** What is wrong with the field. */
    errorOf: (field: string): string | null => (fault?.field === field ? fault.message : null),
    /** What is wrong with no field in particular; `fields` are those that the form has. */
    otherError: (...fields: readonly string[]): string | null =>
      error !== null && !fields.includes(fault?.field ?? '') ? error.message : null,
  };
}

/** A form that sends its values. */
export function useForm<Answer>(
  send: (values: Readonly<Record<string, string>>) => Promise<Answer>,
  done: (answer: Answer) => void,
) {
  const { mutate, error, isPending, isSuccess } = useMutation({ mutationFn: send, onSuccess: done });
  return {
    ...faultsOf(error),
    // After success the page goes elsewhere, and until then nothing is to be sent again.
    isBusy: isPending || isSuccess,
    send: mutate,
    onSubmit: (event: FormEvent<HTMLFormElement>) => {
      event.preventDefault();
      const values = Object.fromEntries(new FormData(event.currentTarget));
      // The forms have no files.
      mutate(values as Record<string, string>);
    },
  };
}
