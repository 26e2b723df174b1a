use super::{body::{Body,Enclosure}, event::Frame, wish::Wish};
use crate::broad::{ObjectId, Pair};
use crate::math::Pose;
#[derive(Debug)]
pub(super) struct Recorder;
impl Recorder {
    pub(super) fn inserted(&mut self, _id: ObjectId, _b: &Body) {}
    pub(super) fn removed(&mut self, _id: ObjectId) {}
    pub(super) fn moved(&mut self, _id: ObjectId, _p: &Pose) {}
    pub(super) fn made_static(&mut self, _id: ObjectId, _s: bool) {}
    pub(super) fn enclosed(&mut self, _id: ObjectId, _s: Option<(ObjectId, Enclosure)>) {}
    pub(super) fn wished(&mut self, _p: Pair, _w: Wish) {}
    pub(super) fn stepped(&mut self, _f: &Frame) {}
}
