/** Work in portions. The caller may do something else whenever it yields, or never resume. */
export type InPortions<Result> = AsyncGenerator<undefined, Result>;
