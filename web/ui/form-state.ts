import { createContext, use } from 'react';

interface FormState {
  readonly isBusy: boolean;
  /** The value of the button that has sent it, where a form has several. */
  readonly sentBy: string | null;
  /** The error of the field of this name. */
  readonly errorOf: (field: string | undefined) => string | null;
  /** The error that belongs to none of the form's fields. */
  readonly otherError: string | null;
}

export const FormContext = createContext<FormState>({
  isBusy: false,
  sentBy: null,
  errorOf: () => null,
  otherError: null,
});

/** The error of a field, from the form around it. A field calls it. */
export const useFieldError = (name: string | undefined): string | null => use(FormContext).errorOf(name);

/** The error that belongs to none of the fields of the form around it. */
export const useFormError = (): string | null => use(FormContext).otherError;
