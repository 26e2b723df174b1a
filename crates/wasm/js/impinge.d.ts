export * from './plain/impinge_wasm';
import * as Impinge from './plain/impinge_wasm';

/** Whether the engine has 128-bit vector instructions. */
export function hasSimd(): boolean;
/** The module `plain` or `simd`, loaded once; without a name the better of those that run. */
export function load(build?: 'plain' | 'simd'): Promise<typeof Impinge>;
