/** Numbers in a row: a typed array or a plain one. */
export type Numbers = ArrayLike<number>;
/** A rigid placement: 3 numbers (a translation), 7 (translation, then quaternion x y z w), or 16 (a matrix column by
 * column, as `Matrix4.elements` of three.js); nothing for no change. */
export type PoseLike = ArrayLike<number>;

/** The distance of two shapes, bounds that hold the true one, and two nearest points in the frame of the first. */
export interface Distance { distance: number; lower: number; upper: number; pointA: Float64Array; pointB: Float64Array }
/** The shortest translation of the second shape that parts them: its length, bounds, direction, and the points that touch last. */
export interface Penetration { depth: number; lower: number; upper: number; normal: Float64Array; pointA: Float64Array; pointB: Float64Array }
/** The volume that two solids share; `centroid` is there when it is not empty; gradients by moving and turning the second. */
export interface Volume { volume: number; lower: number; upper: number; centroid?: Float64Array; gradient: Float64Array; gradientRotation: Float64Array }
/** The first contact of a motion: the shapes are apart before `lower` and meet at `upper`. */
export interface Impact { time: number; lower: number; upper: number; point: Float64Array; normal: Float64Array; faceA: number; faceB: number }
/** Contact points: `pointA`, `pointB`, `normal` have three numbers each; `depth` is negative for a gap. */
export interface Contacts { count: number; depth: Float64Array; pointA: Float64Array; pointB: Float64Array; normal: Float64Array; patch: Uint32Array }
/** One polyline of an intersection curve. */
export interface Curve { points: Float64Array; closed: boolean }
/** Counted work of a query. */
export interface Work { boxTests: number; faceTests: number; updates: number }
/** Where a ray first meets something; `t` in lengths of its direction. */
export interface RayHit { t: number; face: number; point: Float64Array; normal: Float64Array }
/** First hits of many rays: `face` is −1 and `t` infinite where there is none. */
export interface RayHits { t: Float64Array; face: Int32Array; point: Float64Array; normal: Float64Array }
/** Where a moving ball first meets a shape. */
export interface BallHit { t: number; lower: number; upper: number; center: Float64Array; point: Float64Array; normal: Float64Array }
/** The nearest point of a shape. */
export interface ClosestPoint { distance: number; point: Float64Array; face: number }
/** Mass properties at density 1; inertia about the centroid, column by column. */
export interface Mass { volume: number; area: number; centroid: Float64Array; inertia: Float64Array }
/** Spheres: three numbers per centre, one per radius. */
export interface Spheres { centers: Float64Array; radii: Float64Array }
/** The volume that two sphere packings share, with bounds for the solids. */
export interface SphereOverlap { volume: number; lower: number; upper: number; centroid: Float64Array; gradient: Float64Array; pairs: number; tests: number }
/** Faces of a deforming scene that meet: two numbers per pair; `within` is 1 for pairs of one object. */
export interface ScenePairs { faces: Uint32Array; within: Uint8Array; boxTests: number; candidates: number; exactTests: number }
/** Impacts of a step in the order of time: four vertices each; `edges` is 1 for two edges, 0 for a vertex and a face. */
export interface StepImpacts { lower: Float64Array; upper: Float64Array; edges: Uint8Array; vertices: Uint32Array; within: Uint8Array }
/** What happened to a pair of objects of a world. */
export interface WorldEvent { kind: string; a: number; b: number; isNew: boolean; contacts?: Contacts; distance?: Distance }
/** An object of a world and where it was hit. */
export interface WorldHit extends RayHit { object: number }
/** One tick of a god-object. */
export interface ProxyStep {
  proxy: Float64Array; force: Float64Array; held: boolean; crossed: boolean; sliding: boolean;
  contacts: { body: number; face: number; normal: Float64Array; push: number }[];
}
/** Options of a cloth or net. */
export interface ClothOptions {
  cells?: [number, number]; size?: [number, number]; height?: number; net?: boolean;
  friction?: number; thickness?: number; substeps?: number; iterations?: number; selfContact?: boolean; gravity?: Numbers;
}
/** Options of sculpting: the tool with its size, the operator with its vicinity (in radii of the tool) or step, and what is kept. */
export interface SculptOptions {
  tool?: 'fingertip' | 'five-fingertips' | 'forefinger' | 'whole-hand'; size?: number;
  operator?: 'press' | 'drag' | 'plain'; vicinity?: number; step?: number;
  keepVolume?: boolean; noCrumpling?: boolean; guard?: boolean; repair?: boolean; split?: boolean;
}
/** One frame of sculpting: parts of the tool that hit, faces hit, vertices moved, edges split, the part of the displacement that was allowed. */
export interface SculptFrame { parts: number; hitFaces: number; moved: number; splits: number; allowed: number; refused: boolean }
/** One tick of a tool on springs: its pose, what the hand feels, constraints that hold it, and how often the contact was computed. */
export interface CoupledStep { tool: Float64Array; force: Float64Array; torque: Float64Array; constraints: number; evaluations: number }
/** Points of the curve in which two fitted clouds cross, and whether they do. */
export interface Crossings { points: Float64Array; answer: boolean; confidence: number; brackets: number; evaluations: number }
/** A penalty force per unit of stiffness, points that are inside, and bounds of the depth. */
export interface PenaltyForce { force: Float64Array; torque: Float64Array; penetrating: number; lower: number; upper: number; tests: number }
/** What a kinetic separation list did. */
export interface ListWork {
  overlaps: number; fathersApart: number; leavesApart: number; contacts: number; boxChanges: number; boxTests: number; faceTests: number; events: number;
}
/** The point nearest to a link. */
export interface NearestLink { link: number; distance: number; point: Float64Array; witness: Float64Array }
/** Two parts of an assembly that collide; `depth` has two bounds. */
export interface Clash { a: number; b: number; kind: string; depth?: Float64Array; distance: number; pointA: Float64Array; pointB: Float64Array }
/** Faces that meet, and the pairs that each step of the clustering search left. */
export interface ClusterPairs {
  faces: Uint32Array; all: number; entries: number; rounds: number; axisPairs: number; secondAxisPairs: number; candidates: number; exactTests: number;
}
